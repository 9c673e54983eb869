// StallRule: the running medians of gaps and of their phases, and what they say: whether a gap is a stall, and which
// phase is to blame. Asked and fed by EmissionPass in a fixed order; single threaded.
#pragma once

#include <array>

#include "attribution/config.h"
#include "attribution/running_median.h"
#include "record/summaries.h"

namespace slowtoken::attribution {

class StallRule {
 public:
  bool Init(base::Arena& arena, const EngineConfig& config);

  // Sets is_stall, largest_phase, excess_ns and, in flags, kFewSamples. The gap itself is not yet in the medians.
  void Judge(record::GapSummary* gap) const;
  void Learn(const record::GapSummary& gap);

  // True once the running median of gaps rests on enough of them to call for attention.
  bool knows_gaps() const { return gap_.samples() >= kManySamples; }

  // A gap above this is a stall.
  uint64_t threshold() const;

 private:
  bool has_few_samples() const { return gap_.samples() < kFewSamples; }

  static constexpr uint64_t kFewSamples = 8;
  static constexpr uint64_t kManySamples = 64;
  static constexpr uint64_t kLeastStall = 5'000'000;

  uint64_t slo_itl_ns_ = 0;
  RunningMedian gap_;
  std::array<RunningMedian, record::kGapPhaseCount> phases_;
};

}  // namespace slowtoken::attribution
