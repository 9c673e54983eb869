#include "attribution/stall_rule.h"

#include <algorithm>

namespace slowtoken::attribution {

bool StallRule::Init(base::Arena& arena, const EngineConfig& config) {
  slo_itl_ns_ = config.slo_itl_ns;
  bool ok = gap_.Init(arena);
  for (RunningMedian& median : phases_) ok = ok && median.Init(arena);
  return ok;
}

uint64_t StallRule::threshold() const {
  if (slo_itl_ns_ != 0) return slo_itl_ns_;
  if (has_few_samples()) return kLeastStall;
  return std::max(gap_.value() * 5 / 2, kLeastStall);
}

void StallRule::Judge(record::GapSummary* gap) const {
  gap->is_stall = gap->gap_ns > threshold();
  if (!gap->is_stall) return;
  if (slo_itl_ns_ == 0 && has_few_samples()) gap->flags |= record::kFewSamples;
  gap->largest_phase = record::GapPhase::kUnattributed;
  gap->excess_ns = 0;
  size_t longest = 0;
  for (size_t i = 0; i < phases_.size(); ++i) {
    if (gap->phases[i] > gap->phases[longest]) longest = i;
    const uint64_t usual = phases_[i].value();
    const uint64_t excess = gap->phases[i] > usual ? gap->phases[i] - usual : 0;
    if (excess > gap->excess_ns) {
      gap->excess_ns = excess;
      gap->largest_phase = static_cast<record::GapPhase>(i);
    }
  }
  if (gap->excess_ns != 0) return;
  // As usual, and still too long: the level is below what is usual here.
  gap->largest_phase = static_cast<record::GapPhase>(longest);
  gap->excess_ns = std::min(gap->phases[longest], gap->gap_ns - threshold());
}

void StallRule::Learn(const record::GapSummary& gap) {
  gap_.Add(gap.gap_ns);
  for (size_t i = 0; i < phases_.size(); ++i) phases_[i].Add(gap.phases[i]);
}

}  // namespace slowtoken::attribution
