// FirstTokenRule: the running medians of TTFT by class of prompt length, of its phases and of prefill per token, and
// what they say: whether a first token is slow, and which phase is to blame. Fed by RequestPass with each request that
// got a first token, in a fixed order; single threaded.
#pragma once

#include <array>
#include <bit>

#include "attribution/config.h"
#include "attribution/running_median.h"
#include "record/summaries.h"

namespace slowtoken::attribution {

class FirstTokenRule {
 public:
  bool Init(base::Arena& arena, const EngineConfig& config);

  // Sets is_slow and, of a slow one, largest_phase, excess_ns and, in flags, kFewSamples. The request itself is not yet
  // in the medians.
  void Judge(record::RequestSummary* request) const;
  void Learn(const record::RequestSummary& request);

  // How much longer than usual a phase of this length is.
  uint64_t Excess(record::TtftPhase phase, uint64_t ns) const {
    const uint64_t usual = phases_[static_cast<size_t>(phase)].value();
    return ns > usual ? ns - usual : 0;
  }
  // GPU time that so many prompt tokens usually take; 0 while few were seen.
  uint64_t UsualPrefill(uint64_t tokens) const {
    return per_token_.samples() < kFewSamples ? 0 : per_token_.value() * tokens;
  }

  // A TTFT above this is slow. With few samples of its class, those of all classes speak; with few of all, kLeastKnown.
  uint64_t threshold(uint64_t prompt) const;

 private:
  const RunningMedian& MedianFor(uint64_t prompt) const;  // of its class, or of all while few of that were seen

  static constexpr uint32_t kClasses = 20;
  static constexpr uint64_t kFewSamples = 8;
  static constexpr uint64_t kLeastSlow = 5'000'000;
  static constexpr uint64_t kLeastKnown = 1'000'000'000;  // no server's usual first token takes a second
  static uint32_t ClassOf(uint64_t prompt) {
    return std::min<uint32_t>(static_cast<uint32_t>(std::bit_width(prompt)), kClasses - 1);
  }

  uint64_t slo_ttft_ns_ = 0;
  RunningMedian all_, per_token_;
  std::array<RunningMedian, kClasses> classes_;
  std::array<RunningMedian, record::kTtftPhaseCount> phases_;
};

}  // namespace slowtoken::attribution
