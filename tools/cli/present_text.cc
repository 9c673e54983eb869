#include "present_text.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include "analysis/text_safety.h"
#include "report/kept_detail.h"
#include "report/units.h"

namespace slowtoken::cli {
namespace {

using analysis::Present;
using record::Counter;
using report::WithCommas;

uint64_t Sum(const Present& p, Counter counter) {
  uint64_t sum = 0;
  for (const auto& [key, value] : p.counters) {
    if (key.counter == counter) sum += value;
  }
  return sum;
}

std::string Sources(const Present& p) {
  std::vector<std::string> all;
  for (const auto& [source, fact] : p.sources) {
    all.push_back(absl::StrCat(
        analysis::SourceName(source), " ", analysis::SourceStateName(fact.state),
        fact.detail.empty() || fact.state == record::SourceState::kActive ? "" : absl::StrCat(" (", fact.detail, ")")));
  }
  return all.empty() ? "none yet" : absl::StrJoin(all, " · ");
}

std::string Seen(const Present& p) {
  std::vector<std::string> all;
  const auto generated = p.Count(Counter::kTokens, static_cast<uint32_t>(record::TokenKind::kGenerated));
  if (generated) {
    all.push_back(absl::StrCat(WithCommas(Sum(p, Counter::kRequests)), " requests ended"));
    all.push_back(absl::StrCat(WithCommas(*generated), " tokens"));
  }
  uint64_t iterations = 0;
  for (const record::IterationKind kind :
       {record::IterationKind::kGraph, record::IterationKind::kPiecewise, record::IterationKind::kEager}) {
    iterations += p.Count(Counter::kIterations, static_cast<uint32_t>(kind)).value_or(0);
  }
  if (iterations != 0) all.push_back(absl::StrCat(WithCommas(iterations), " iterations"));
  if (const auto stalls = p.Total(Counter::kStalls)) all.push_back(absl::StrCat(WithCommas(*stalls), " stalls"));
  all.push_back(absl::StrCat(WithCommas(p.totals.launches), " launches"));
  all.push_back(absl::StrCat(WithCommas(p.totals.kernels), " kernels"));
  return absl::StrJoin(all, " · ");
}

std::string Dropped(const Present& p) {
  std::vector<std::string> all;
  for (const auto& [cause, count] : p.process.losses) {
    all.push_back(absl::StrCat(analysis::SafeText(cause, 64), " ", WithCommas(count)));
  }
  return all.empty() ? "nothing" : absl::StrJoin(all, " · ");
}

std::string Blind(const Present& p) {
  std::vector<std::string> all;
  for (const auto& [reason, ns] : p.BlindByReason()) all.push_back(absl::StrCat(reason, " ", report::Duration(ns)));
  return all.empty() ? "never" : absl::StrJoin(all, " · ");
}

std::string OwnCost(const Present& p) {
  const double share = analysis::OwnShare(p.cost, p.process.start).value_or(0);
  const uint32_t budget = p.detail ? p.detail->budget_ppm : 0;
  return absl::StrCat(
      "worker and call-backs: ", report::Percent(share), " of one CPU since the start",
      budget == 0 ? "" : absl::StrCat(" (budget ", report::Percent(static_cast<double>(budget) / 1e6), ")"), " · ",
      report::Bytes(p.cost.memory_bytes), " of ", report::Bytes(p.process.memory_cap_bytes), " memory · ",
      report::Bytes(p.cost.bytes_written), " written");
}

}  // namespace

std::string ModeText(const Present& present) {
  for (const auto& [source, fact] : present.sources) {
    if (fact.state == record::SourceState::kPaused) return "paused";
  }
  if (!present.detail) return "recording";
  const bool full = present.detail->level == record::DetailLevel::kFull;
  const std::string cost = full ? "" : report::CostText(*present.detail);
  return absl::StrCat("recording ", full ? "in " : "", report::LevelText(*present.detail), cost.empty() ? "" : ": ",
                      cost);
}

std::string StatusText(const Present& p) {
  const uint64_t up = p.now > p.process.start ? p.now - p.process.start : 0;
  std::string text =
      absl::StrFormat("%s %d  run %s  up %s  %s\n", analysis::SafeText(p.process.role, 64), p.process.pid,
                      analysis::SafeText(p.process.run_id, 32), report::Duration(up), ModeText(p));
  absl::StrAppend(&text, "  sources   ", Sources(p), "\n");
  absl::StrAppend(&text, "  seen      ", Seen(p), "\n");
  absl::StrAppend(&text, "  dropped   ", Dropped(p), "\n");
  absl::StrAppend(&text, "  blind     ", Blind(p), "\n");
  absl::StrAppend(&text, "  own cost  ", OwnCost(p), "\n");
  return text;
}

}  // namespace slowtoken::cli
