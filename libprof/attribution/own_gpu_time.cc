#include "attribution/own_gpu_time.h"

namespace slowtoken::attribution {
namespace {

constexpr unsigned kWorkLabel = 0, kCollectiveLabel = 1;

GpuUse UseIn(uint32_t active) {
  if ((active >> kWorkLabel & 1) != 0) return GpuUse::kWork;
  return (active >> kCollectiveLabel & 1) != 0 ? GpuUse::kCollective : GpuUse::kIdle;
}

void Grow(GpuUse use, uint64_t ns, GpuTotals* totals) {
  if (use == GpuUse::kWork) totals->work_ns += ns;
  if (use == GpuUse::kCollective) totals->collective_ns += ns;
}

}  // namespace

bool OwnGpuTime::Init(base::Arena& arena, uint32_t most_intervals, const IntervalPool& intervals,
                      Partition& partition) {
  intervals_ = &intervals;
  partition_ = &partition;
  steps_ = arena.AllocateRoom<Step>(size_t{most_intervals} * 2 + 2);  // one for each edge, the first and the last
  return !steps_.empty();
}

void OwnGpuTime::Use(std::span<const OwnEntry> entries) {
  if (Knows(entries)) return;
  partition_->Begin(0, kForever);
  for (const OwnEntry& entry : entries) AddIntervals(*entry.iteration);
  MakeSteps();
  known_count_ = entries.size() <= known_.size() ? entries.size() : 0;
  for (size_t i = 0; i < known_count_; ++i) known_[i] = entries[i].iteration;
}

bool OwnGpuTime::Knows(std::span<const OwnEntry> entries) const {
  if (known_count_ == 0) return false;
  return std::equal(entries.begin(), entries.end(), known_.begin(), known_.begin() + known_count_,
                    [](const OwnEntry& entry, const Iteration* known) { return entry.iteration == known; });
}

void OwnGpuTime::AddIntervals(const Iteration& iteration) {
  if (iteration.trimmed) partition_->Add(kWorkLabel, iteration.gpu.start, iteration.gpu.end);
  intervals_->ForEach(iteration.work, [&](Interval i) { partition_->Add(kWorkLabel, i.start, i.end); });
  intervals_->ForEach(iteration.collectives, [&](Interval i) { partition_->Add(kCollectiveLabel, i.start, i.end); });
}

void OwnGpuTime::MakeSteps() {
  step_count_ = 0;
  GpuTotals totals;
  GpuUse last = GpuUse::kIdle;
  partition_->Sweep([&](uint32_t active, TimeNs start, TimeNs end) {
    const GpuUse use = UseIn(active);
    if (step_count_ == 0 || use != last) steps_[step_count_++] = {start, totals};
    last = use;
    Grow(use, end - start, &totals);
  });
  steps_[step_count_++] = {kForever, totals};
}

size_t OwnGpuTime::StepAt(TimeNs time) const {
  const auto steps = steps_.first(step_count_);
  const auto after = std::upper_bound(steps.begin(), steps.end(), time,
                                      [](TimeNs value, const Step& step) { return value < step.start; });
  return static_cast<size_t>(after - steps.begin()) - 1;
}

GpuUse OwnGpuTime::UseOf(size_t step) const {
  const GpuTotals& before = steps_[step].before;
  const GpuTotals& after = steps_[step + 1].before;
  if (after.work_ns != before.work_ns) return GpuUse::kWork;
  return after.collective_ns != before.collective_ns ? GpuUse::kCollective : GpuUse::kIdle;
}

GpuTotals OwnGpuTime::TotalsAt(TimeNs time) const {
  const size_t step = StepAt(time);
  GpuTotals totals = steps_[step].before;
  if (time > steps_[step].start) Grow(UseOf(step), time - steps_[step].start, &totals);
  return totals;
}

}  // namespace slowtoken::attribution
