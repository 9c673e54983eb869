// OwnGpuTime: when the GPU worked for the iterations of a gap or a first token, as steps in time with running totals,
// so that how long it did in any window is two binary searches. The requests of a batch wait for the same iterations:
// the steps made for one of them serve the others. Used by GapPhases and TtftPhases; single threaded; memory fixed at
// Init. Making the steps costs a sweep of the iterations' intervals, and a sort where those of several lists
// interleave.
#pragma once

#include "attribution/own_work.h"
#include "attribution/partition.h"

namespace slowtoken::attribution {

// What runs of the GPU work of the iterations; kCollective: a collective and nothing else.
enum class GpuUse : uint8_t { kIdle, kWork, kCollective };

struct GpuTotals {
  uint64_t work_ns = 0;
  uint64_t collective_ns = 0;
};

class OwnGpuTime {
 public:
  // `partition` is used while steps are made: whoever fills it calls Use before Begin.
  bool Init(base::Arena& arena, uint32_t most_intervals, const IntervalPool& intervals, Partition& partition);

  // Iterations may have changed since the steps were made.
  void Forget() { large_.known_count = small_.known_count = 0; }

  // Everything below is about these iterations.
  void Use(std::span<const OwnEntry> entries);

  GpuTotals Between(TimeNs start, TimeNs end) const {
    const GpuTotals from = TotalsAt(start), to = TotalsAt(end);
    return {to.work_ns - from.work_ns, to.collective_ns - from.collective_ns};
  }

  // visit(GpuUse, start, end) for consecutive pieces that fill the window.
  template <typename Visit>
  void ForEach(TimeNs start, TimeNs end, Visit visit) const {
    for (size_t i = StepAt(start); start < end; ++i) {
      const TimeNs until = std::min(now_->steps[i + 1].start, end);
      visit(UseOf(i), start, until);
      start = until;
    }
  }

 private:
  static constexpr size_t kMostKnown = 64;  // of more iterations the steps are made each time

  // From `start` to the next step one use lasts: that of which the totals grow. The last step is the end of time.
  struct Step {
    TimeNs start = 0;
    GpuTotals before;
  };

  // The steps of some iterations; the first begins at 0.
  struct Made {
    std::span<Step> steps;
    size_t step_count = 0;
    std::array<const Iteration*, kMostKnown> known{};  // of which they are
    size_t known_count = 0;                            // 0: of none, or of too many
    bool Are(std::span<const OwnEntry> entries) const;
  };
  static constexpr size_t kSmall = 768;

  void AddIntervals(const Iteration& iteration);
  void MakeSteps();
  size_t StepAt(TimeNs time) const;
  GpuUse UseOf(size_t step) const;
  GpuTotals TotalsAt(TimeNs time) const;

  const IntervalPool* intervals_ = nullptr;
  Partition* partition_ = nullptr;
  // Tokens are sent while the next iteration's are computed: two batches take turns. Steps too many for `small_` are
  // made in `large_`.
  Made large_, small_;
  Made* now_ = &large_;  // those asked for
};

}  // namespace slowtoken::attribution
