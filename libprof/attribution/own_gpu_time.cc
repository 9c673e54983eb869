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
  large_.steps = arena.AllocateRoom<Step>(size_t{most_intervals} * 2 + 2);  // one for each edge, the first and the last
  small_.steps = arena.AllocateRoom<Step>(kSmall);
  return !large_.steps.empty() && !small_.steps.empty();
}

void OwnGpuTime::Use(std::span<const OwnEntry> entries) {
  if (now_->Are(entries)) return;
  now_ = now_ == &large_ ? &small_ : &large_;
  if (now_->Are(entries)) return;
  partition_->Begin(0, kForever);
  for (const OwnEntry& entry : entries) AddIntervals(*entry.iteration);
  if (partition_->edges() + 2 > now_->steps.size()) now_ = &large_;
  MakeSteps();
  now_->known_count = entries.size() <= kMostKnown ? entries.size() : 0;
  for (size_t i = 0; i < now_->known_count; ++i) now_->known[i] = entries[i].iteration;
}

bool OwnGpuTime::Made::Are(std::span<const OwnEntry> entries) const {
  if (known_count == 0) return false;
  return std::equal(entries.begin(), entries.end(), known.begin(), known.begin() + known_count,
                    [](const OwnEntry& entry, const Iteration* iteration) { return entry.iteration == iteration; });
}

void OwnGpuTime::AddIntervals(const Iteration& iteration) {
  if (iteration.trimmed) partition_->Add(kWorkLabel, iteration.gpu.start, iteration.gpu.end);
  intervals_->ForEach(iteration.work, [&](Interval i) { partition_->Add(kWorkLabel, i.start, i.end); });
  intervals_->ForEach(iteration.collectives, [&](Interval i) { partition_->Add(kCollectiveLabel, i.start, i.end); });
}

void OwnGpuTime::MakeSteps() {
  size_t count = 0;
  GpuTotals totals;
  GpuUse last = GpuUse::kIdle;
  partition_->Sweep([&](uint32_t active, TimeNs start, TimeNs end) {
    const GpuUse use = UseIn(active);
    if (count == 0 || use != last) now_->steps[count++] = {start, totals};
    last = use;
    Grow(use, end - start, &totals);
  });
  now_->steps[count++] = {kForever, totals};
  now_->step_count = count;
}

size_t OwnGpuTime::StepAt(TimeNs time) const {
  const auto steps = now_->steps.first(now_->step_count);
  const auto after = std::upper_bound(steps.begin(), steps.end(), time,
                                      [](TimeNs value, const Step& step) { return value < step.start; });
  return static_cast<size_t>(after - steps.begin()) - 1;
}

GpuUse OwnGpuTime::UseOf(size_t step) const {
  const GpuTotals& before = now_->steps[step].before;
  const GpuTotals& after = now_->steps[step + 1].before;
  if (after.work_ns != before.work_ns) return GpuUse::kWork;
  return after.collective_ns != before.collective_ns ? GpuUse::kCollective : GpuUse::kIdle;
}

GpuTotals OwnGpuTime::TotalsAt(TimeNs time) const {
  const size_t step = StepAt(time);
  GpuTotals totals = now_->steps[step].before;
  if (time > now_->steps[step].start) Grow(UseOf(step), time - now_->steps[step].start, &totals);
  return totals;
}

}  // namespace slowtoken::attribution
