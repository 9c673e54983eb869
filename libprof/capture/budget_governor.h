// BudgetGovernor: holds slowtoken's own cost against the budget and says how much detail may be kept. Above the budget
// one step down: sampled, annotations only, conclusions only; well below it for long, one step up again. A step up that
// has to be taken back makes the next wait twice as long, so that a load that comes and goes does not make it flap.
// Pure: time and cost come from the caller. Worker thread; a few ns a round.
#pragma once

#include <array>
#include <cstdint>

#include "record/detail_events.h"

namespace slowtoken::capture {

class BudgetGovernor {
 public:
  static constexpr base::TimeNs kWindow = 4'000'000'000;      // over which a share of the CPU is told
  static constexpr uint32_t kWindowsOver = 2;                 // above the budget in a row: a step down
  static constexpr uint32_t kFarOver = 2;                     // times the budget: a step down at once
  static constexpr base::TimeNs kCalm = 10'000'000'000;       // below half of the budget for so long: a step up
  static constexpr base::TimeNs kMostCalm = 640'000'000'000;  // what waiting grows to
  static constexpr base::TimeNs kRelapse = 120'000'000'000;   // a step up that held for so long, at least, was right
  static constexpr uint32_t kSampleOneIn = 10;

  // `asked` is what the user wants, the highest step; `budget_ppm` is millionths of one CPU, 0: no budget, no steps.
  void Init(uint32_t budget_ppm, const record::DetailChange& asked);

  // `cost_ns`: what slowtoken has cost since the process began. True: `change` is to be applied from `now` on.
  bool Look(base::TimeNs now, uint64_t cost_ns, record::DetailChange& change);

 private:
  struct Step {
    record::DetailLevel level = record::DetailLevel::kFull;
    record::SampleUnit unit = record::SampleUnit::kIterations;
    uint32_t keep_one_in = 1;
  };
  void Add(const Step& step) { steps_[step_count_++] = step; }
  bool MustGoDown(uint32_t share_ppm);
  bool MayGoUp(uint32_t share_ppm, base::TimeNs window);
  void GoDown();
  void GoUp(base::TimeNs now);

  std::array<Step, 4> steps_{};
  uint32_t step_count_ = 0, step_ = 0;
  uint32_t budget_ppm_ = 0;
  bool began_ = false;
  base::TimeNs window_start_ = 0;
  uint64_t window_cost_ = 0;  // at its start
  uint32_t over_ = 0;         // windows above the budget, in a row
  base::TimeNs calm_ = 0;     // below half of it, in a row
  base::TimeNs calm_wanted_ = kCalm;
  base::TimeNs last_up_ = 0;  // 0: none that may still prove wrong
};

}  // namespace slowtoken::capture
