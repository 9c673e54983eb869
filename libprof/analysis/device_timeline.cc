#include "analysis/device_timeline.h"

#include <algorithm>

namespace slowtoken::analysis {
namespace {

// How much of [start, end) lies in `intervals`. `from` advances over those that end before: callers go forward in time.
uint64_t OverlapNs(TimeNs start, TimeNs end, const std::vector<IntervalUnion::Gap>& intervals, size_t& from) {
  while (from < intervals.size() && intervals[from].end <= start) ++from;
  uint64_t sum = 0;
  for (size_t i = from; i < intervals.size() && intervals[i].start < end; ++i) {
    sum += std::min(end, intervals[i].end) - std::max(start, intervals[i].start);
  }
  return sum;
}

}  // namespace

DeviceTimeline::DeviceTimeline() : all_([this](const IntervalUnion::Gap& gap) { OnGap(gap); }) {
  pending_.reserve(4096);
}

void DeviceTimeline::Settle() {
  const auto earlier = [](const Record& a, const Record& b) { return a.start < b.start; };
  if (!std::is_sorted(pending_.begin(), pending_.end(), earlier)) {
    std::stable_sort(pending_.begin(), pending_.end(), earlier);
  }
  for (const Record& record : pending_) {
    all_.Add(record.start, record.end, record.call_end);
    if (record.work == Work::kCompute) compute_.Add(record.start, record.end, record.call_end);
  }
  pending_.clear();
}

void DeviceTimeline::OnGap(const IntervalUnion::Gap& gap) {
  const TimeNs call_end = gap.ended_by;
  const Reason reason = call_end == 0 ? Reason::kUnknown : call_end > gap.start ? Reason::kHost : Reason::kDependency;
  if (gap.end - gap.start < keep_above_) return Count(reason, gap.end - gap.start);
  if (idle_.size() == kMostIdle) RaiseThreshold();
  idle_.push_back({gap.start, gap.end, reason});
}

// Too many to keep: the shorter ones are settled now, as if a request was in the system.
void DeviceTimeline::RaiseThreshold() {
  keep_above_ *= 4;
  std::erase_if(idle_, [this](const Idle& idle) {
    const bool settle = idle.end - idle.start < keep_above_;
    if (settle) Count(idle.reason, idle.end - idle.start);
    return settle;
  });
}

void DeviceTimeline::Count(Reason reason, uint64_t ns) {
  if (reason == Reason::kHost) idle_by_.host += ns;
  if (reason == Reason::kDependency) idle_by_.dependency += ns;
  if (reason == Reason::kUnknown) idle_by_.unknown += ns;
}

void DeviceTimeline::Finish(const std::optional<std::vector<IntervalUnion::Gap>>& no_request) {
  Settle();
  all_.Finish();
  std::sort(idle_.begin(), idle_.end(), [](const Idle& a, const Idle& b) { return a.start < b.start; });
  if (no_request) idle_by_.no_work = 0;
  size_t from = 0;
  for (const Idle& idle : idle_) {
    const uint64_t no_work = no_request ? OverlapNs(idle.start, idle.end, *no_request, from) : 0;
    if (no_request) *idle_by_.no_work += no_work;
    Count(idle.reason, idle.end - idle.start - no_work);
  }
  idle_by_.copy = all_.covered() - compute_.covered();
}

}  // namespace slowtoken::analysis
