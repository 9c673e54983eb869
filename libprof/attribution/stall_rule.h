// StallRule: the running medians of gaps, of their phases and of decode-only iterations, and what they say: whether a
// gap is a stall, which phase is to blame, what other requests' prefill cost. Asked and fed by RequestPass and
// IterationPass in a fixed order; single threaded.
#pragma once

#include <array>
#include <bit>

#include "attribution/config.h"
#include "attribution/running_median.h"
#include "record/summaries.h"

namespace slowtoken::attribution {

class StallRule {
 public:
  bool Init(base::Arena& arena, const EngineConfig& config);

  // Sets is_stall, largest_phase and excess_ns. The gap itself is not yet in the medians.
  void Judge(record::GapSummary* gap) const;
  void Learn(const record::GapSummary& gap);

  // GPU work of an iteration with `decode_rows` rows and no prefill. Classes are powers of two of the row count.
  void LearnDecode(uint32_t decode_rows, uint64_t gpu_ns) { decode_[ClassOf(decode_rows)].Add(gpu_ns); }
  const RunningMedian& decode_median(uint32_t decode_rows) const { return decode_[ClassOf(decode_rows)]; }

  // True once the running median of gaps rests on enough of them to call for attention.
  bool knows_gaps() const { return gap_.samples() >= kManySamples; }

  // A gap above this is a stall.
  uint64_t threshold() const;

 private:
  static constexpr uint32_t kClasses = 14;
  static constexpr uint64_t kFewSamples = 8;
  static constexpr uint64_t kManySamples = 64;
  static constexpr uint64_t kLeastStall = 5'000'000;
  static uint32_t ClassOf(uint32_t rows) {
    return std::min<uint32_t>(static_cast<uint32_t>(std::bit_width(rows)), kClasses - 1);
  }

  uint64_t slo_itl_ns_ = 0;
  RunningMedian gap_;
  std::array<RunningMedian, record::kGapPhaseCount> phases_;
  std::array<RunningMedian, kClasses> decode_;
};

}  // namespace slowtoken::attribution
