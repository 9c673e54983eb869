#include "capture/budget_governor.h"

namespace slowtoken::capture {

using record::DetailLevel;

void BudgetGovernor::Init(uint32_t budget_ppm, const record::DetailChange& asked) {
  budget_ppm_ = budget_ppm;
  step_count_ = step_ = 0;
  Add({asked.level, asked.unit, asked.keep_one_in});
  const bool samples = asked.level == DetailLevel::kSampled;
  if (asked.level == DetailLevel::kFull || (samples && asked.keep_one_in < kSampleOneIn)) {
    Add({DetailLevel::kSampled, asked.unit, kSampleOneIn});
  }
  if (asked.level == DetailLevel::kFull || samples) Add({DetailLevel::kAnnotations, asked.unit, 1});
  if (asked.level != DetailLevel::kMetrics) Add({DetailLevel::kMetrics, asked.unit, 1});
}

bool BudgetGovernor::Look(base::TimeNs now, uint64_t cost_ns, record::DetailChange& change) {
  if (budget_ppm_ == 0 || step_count_ < 2) return false;
  const base::TimeNs window = now - window_start_;
  if (began_ && window < kWindow) return false;
  const uint64_t cost = cost_ns - window_cost_;
  const bool first = !began_;  // starting is dear, and happens once
  began_ = true;
  window_start_ = now;
  window_cost_ = cost_ns;
  if (first) return false;
  // Held for longer than one waits between two steps: a step half way up is not right because nothing followed it yet.
  const base::TimeNs proof = 2 * calm_wanted_ > kRelapse ? 2 * calm_wanted_ : kRelapse;
  if (last_up_ != 0 && now - last_up_ >= proof) {
    last_up_ = 0;
    calm_wanted_ = kCalm;
  }
  const uint64_t share = cost * 1000 / (window / 1000);
  const auto share_ppm = static_cast<uint32_t>(share < UINT32_MAX ? share : UINT32_MAX);
  const bool down = MustGoDown(share_ppm);
  if (!down && !MayGoUp(share_ppm, window)) return false;
  if (down) {
    GoDown();
  } else {
    GoUp(now);
  }
  const Step& step = steps_[step_];
  change = {.time = now,
            .level = step.level,
            .reason = down ? record::DetailReason::kBudget : record::DetailReason::kSpare,
            .unit = step.unit,
            .keep_one_in = step.keep_one_in,
            .cost_ppm = share_ppm,
            .budget_ppm = budget_ppm_,
            .process = 0};
  return true;
}

bool BudgetGovernor::MustGoDown(uint32_t share_ppm) {
  over_ = share_ppm > budget_ppm_ ? over_ + 1 : 0;
  const bool far = share_ppm / kFarOver >= budget_ppm_;
  return step_ + 1 < step_count_ && (far || over_ >= kWindowsOver);
}

bool BudgetGovernor::MayGoUp(uint32_t share_ppm, base::TimeNs window) {
  calm_ = share_ppm < budget_ppm_ / 2 ? calm_ + window : 0;
  return step_ != 0 && calm_ >= calm_wanted_;
}

void BudgetGovernor::GoDown() {
  ++step_;
  over_ = 0;
  calm_ = 0;
  if (last_up_ == 0) return;
  last_up_ = 0;
  calm_wanted_ = calm_wanted_ * 2 < kMostCalm ? calm_wanted_ * 2 : kMostCalm;
}

void BudgetGovernor::GoUp(base::TimeNs now) {
  --step_;
  calm_ = 0;
  last_up_ = now;
}

}  // namespace slowtoken::capture
