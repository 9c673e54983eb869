#include "analysis/device_timeline.h"

#include <algorithm>

namespace slowtoken::analysis {
namespace {

// visit(from, to) for each part of [start, end) that lies in none of `intervals`. `first` advances over those that end
// before: callers go forward in time.
template <typename Visit>
void ForEachPartOutside(TimeNs start, TimeNs end, const std::vector<IntervalUnion::Gap>& intervals, size_t& first,
                        Visit visit) {
  while (first < intervals.size() && intervals[first].end <= start) ++first;
  for (size_t i = first; i < intervals.size() && intervals[i].start < end; ++i) {
    if (start < intervals[i].start) visit(start, intervals[i].start);
    start = intervals[i].end;
  }
  if (start < end) visit(start, end);
}

}  // namespace

DeviceTimeline::DeviceTimeline(LaunchPlaces& places)
    : places_(&places), all_([this](const Union::Gap& gap) { OnGap(gap); }) {
  pending_.reserve(4096);
}

void DeviceTimeline::Settle() {
  const auto earlier = [](const Work& a, const Work& b) { return a.start < b.start; };
  if (!std::is_sorted(pending_.begin(), pending_.end(), earlier)) {
    std::stable_sort(pending_.begin(), pending_.end(), earlier);
  }
  for (const Work& work : pending_) {
    all_.Add(work.start, work.end, work.launch);
    (work.kind == Kind::kCopy ? copy_ : compute_).Add(work.start, work.end, 0);
    streams_.Add(work.lane, work.start, work.end);
    saw_replay_ |= work.kind == Kind::kReplay;
  }
  pending_.clear();
}

void DeviceTimeline::OnGap(const Union::Gap& gap) {
  const EndedBy& launch = gap.ended_by;
  const Reason reason = !launch.launch_known()        ? Reason::kUnknown
                        : launch.call_end > gap.start ? Reason::kHost
                                                      : Reason::kDependency;
  const uint64_t ns = gap.end - gap.start;
  if (launch.small && ns <= kShortIdle && reason != Reason::kUnknown) lost_between_small_ns_ += ns;
  if (ns < keep_above_) {
    if (reason == Reason::kHost) places_->Add(LaunchPlaces::kIdle, launch, ns);
    return Count(reason, ns);
  }
  if (idle_.size() == kMostIdle) RaiseThreshold();
  idle_.push_back({gap.start, gap.end, reason == Reason::kHost ? places_->TicketFor(launch) : 0, reason});
}

// Too many to keep: the shorter ones are settled now, as if a request was in the system.
void DeviceTimeline::RaiseThreshold() {
  keep_above_ *= 4;
  std::erase_if(idle_, [this](const Idle& idle) {
    const bool settle = idle.end - idle.start < keep_above_;
    if (settle) Count(idle, idle.end - idle.start);
    return settle;
  });
}

void DeviceTimeline::Count(Reason reason, uint64_t ns) {
  if (reason == Reason::kHost) idle_by_.host += ns;
  if (reason == Reason::kDependency) idle_by_.dependency += ns;
  if (reason == Reason::kUnknown) idle_by_.unknown += ns;
}

void DeviceTimeline::Count(const Idle& idle, uint64_t ns) {
  Count(idle.reason, ns);
  if (idle.reason == Reason::kHost && ns != 0) places_->AddIdle(idle.ticket, ns);
}

void DeviceTimeline::Close() {
  Settle();
  all_.Finish();
}

void DeviceTimeline::Finish(const std::optional<std::vector<IntervalUnion::Gap>>& no_request) {
  std::sort(idle_.begin(), idle_.end(), [](const Idle& a, const Idle& b) { return a.start < b.start; });
  const std::vector<IntervalUnion::Gap> never;
  uint64_t no_work = 0;
  size_t first = 0;
  for (const Idle& idle : idle_) {
    uint64_t with_work = 0;
    ForEachPartOutside(idle.start, idle.end, no_request ? *no_request : never, first, [&](TimeNs from, TimeNs to) {
      with_work += to - from;
      if (idle.reason == Reason::kHost) host_idle_.push_back({from, to, idle.ticket});
    });
    no_work += idle.end - idle.start - with_work;
    Count(idle, with_work);
  }
  if (no_request) idle_by_.no_work = no_work;
  idle_by_.copy = all_.covered() - compute_.covered();
  idle_ = {};
}

}  // namespace slowtoken::analysis
