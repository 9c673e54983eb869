// The slow tokens a page lists: stalls and slow first tokens, the worst of each, and which of them get a timeline.
// Pure functions over the report.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <optional>
#include <vector>

namespace slowtoken::report::html {

inline constexpr size_t kMostListed = 2000;   // of each kind
inline constexpr size_t kMostTimelines = 50;  // windows

// One slow token. Exactly one of `stall` and `first` is set; both point into the report.
struct SlowToken {
  const v1::Stall* stall = nullptr;
  const v1::RequestReport* first = nullptr;
  std::optional<size_t> window = std::nullopt;  // which of SlowTokens::windows shows it
  size_t head = 0;       // the worst of its moment (report/stall_moments.h), as an index of SlowTokens::tokens
  bool is_head = true;   // it is that itself
  uint64_t lost_ns = 0;  // by all of its moment, of a head; else by itself

  uint64_t req() const { return stall != nullptr ? stall->req() : first->req(); }
  uint64_t start_ns() const { return stall != nullptr ? stall->start_ns() : first->arrival_ns(); }
  uint64_t took_ns() const { return stall != nullptr ? stall->gap_ns() : first->ttft_ns(); }
  bool few_samples() const { return stall != nullptr ? stall->few_samples() : first->few_samples(); }
  uint64_t excess_ns() const { return stall != nullptr ? stall->excess_ns() : first->slow_excess_ns(); }
};

// A span of time to be shown, from the report's origin, and whose requests it is about.
struct Window {
  uint64_t start_ns = 0, end_ns = 0;
  std::vector<uint64_t> reqs;
};

struct SlowTokens {
  std::vector<SlowToken> tokens;        // by start
  std::vector<Window> windows;          // by start
  std::vector<uint64_t> waterfalls;     // requests that a window was made for: those whose whole life is told
  size_t stalls = 0, first_tokens = 0;  // of the run, listed or not
  // What to look at first, as indices of `tokens`.
  std::optional<size_t> worst_stall = std::nullopt, worst_first = std::nullopt;
};

// The foremost stall (MomentTally::Foremost) is the worst; then the heads of moments by the time lost, then the others
// of them; those that few samples judged come last. The windows go to the worst stalls and the worst first tokens in
// turn. A token that an earlier window shows well enough (it is a good part of that window) shares it, as when one
// pause holds up a whole batch.
SlowTokens FindSlowTokens(const v1::Report& report);

}  // namespace slowtoken::report::html
