#include "attribution/gpu_join.h"

namespace slowtoken::attribution {

using record::ApiClass;

namespace {

// A record that ended this long before its launch began carries the time of another clock.
constexpr uint64_t kOtherClockNs = 1'000'000'000;

// Whether the call can have started GPU work. Of calls that are no launch (an allocation, an unknown one) some do.
bool MayLaunch(const record::ApiCall& call) {
  if (call.captured || call.return_value != 0 || call.correlation == 0 || call.end < call.start) return false;
  return call.api_class != ApiClass::kSynchronize;
}

}  // namespace

bool GpuJoin::Init(base::Arena& arena, const EngineConfig& config, const Parts& parts) {
  iterations_ = &parts.iterations;
  intervals_ = &parts.intervals;
  ranges_ = &parts.ranges;
  devices_ = &parts.devices;
  device_time_ = &parts.device_time;
  metrics_ = &parts.metrics;
  losses_ = &parts.losses;
  deadline_ns_ = config.deadline_ns;
  settle_ns_ = config.settle_ns;
  records_ = arena.AllocateRoom<GpuRecord>(config.limits.gpu_records);
  return !records_.empty() && launches_.Init(arena, config.limits.launches);
}

void GpuJoin::Add(const record::ApiCall& call) {
  if (!MayLaunch(call)) return;
  latest_seen_ = std::max(latest_seen_, call.end);
  if (launches_.Add(call)) return;
  RunPressed();
  if (IsCrowded()) ForgetIdleCalls();
  if (IsCrowded()) DropOldestLaunches();
  if (!launches_.Add(call)) losses_->Add(base::Loss::kPendingLaunchEvicted);
}

void GpuJoin::Add(const GpuRecord& record) {
  if (record_count_ == records_.size()) {
    RunPressed();
    if (record_count_ > records_.size() / 8 * 7) DropOldestRecords();  // hardly anything could be joined
  }
  GpuRecord& kept = records_[record_count_];
  kept = record;
  const bool timed = record.start != 0 && record.end >= record.start;
  if (!timed) kept.ForgetTime(settled_);
  if (record.correlation != 0) {
    ++record_count_;
  } else {  // "none": never joined
    losses_->Add(base::Loss::kGpuWithoutCall);
    if (joined_ != nullptr) joined_->OnWork(kept, nullptr);
  }
}

void GpuJoin::DropOldestRecords() {
  const size_t dropped = records_.size() / 4;
  losses_->Add(base::Loss::kPendingGpuEvicted, dropped);
  for (GpuRecord& record : records_.first(dropped)) {
    if (!record.counted && joined_ != nullptr) joined_->OnWork(record, nullptr);
  }
  std::copy(records_.begin() + static_cast<ptrdiff_t>(dropped), records_.end(), records_.begin());
  record_count_ -= dropped;
}

void GpuJoin::Run(TimeNs settled, TimeNs now) {
  settled_before_ = settled_;
  settled_ = settled;
  const Horizon horizon{settled, false};
  SweepLaunches(horizon);
  JoinRecords(horizon, now);
  if (settled == kForever) SweepLaunches(horizon);
  if (joined_ != nullptr) joined_->OnToldUntil(std::min(settled, oldest_launch_));
}

void GpuJoin::RunPressed() {
  const Horizon horizon{std::max(settled_, latest_seen_), true};
  iterations_->TrimIntervals();
  SweepLaunches(horizon);
  JoinRecords(horizon, 0);
  SweepLaunches(horizon);
}

bool GpuJoin::IsCrowded() const { return launches_.size() > launches_.capacity() / 8 * 7; }

// A program may allocate ten thousand times in a moment. What is no launch and has no work yet will hardly have any; if
// it does after all, that work has no call and is counted as such.
void GpuJoin::ForgetIdleCalls() {
  launches_.Sweep([&](const Launch& launch) {
    const bool idle = !launch.counts() && launch.api_class != ApiClass::kMemcpy &&
                      launch.api_class != ApiClass::kMemset && launch.gpu_records == 0;
    if (idle && joined_ != nullptr) joined_->OnLaunch(launch);
    return idle;
  });
  last_launch_ = nullptr;
}

void GpuJoin::DropOldestLaunches() {
  const size_t dropped = launches_.capacity() / 4;
  losses_->Add(base::Loss::kPendingLaunchEvicted, dropped);
  size_t seen = 0;
  launches_.Sweep([&](Launch& launch) {
    if (seen++ >= dropped) return false;
    if (joined_ != nullptr) joined_->OnLaunch(launch);
    return true;
  });
  last_launch_ = nullptr;
}

void GpuJoin::SweepLaunches(const Horizon& horizon) {
  last_launch_ = nullptr;
  oldest_launch_ = kForever;
  place_ = {};
  const Patience patience = PatienceOf(horizon);
  launches_.Sweep([&](Launch& launch) {
    if (!launch.resolved && launch.start <= horizon.settled) launch.resolved = Resolve(launch, horizon);
    if (!launch.resolved || !Finished(launch, patience)) {
      oldest_launch_ = std::min(oldest_launch_, launch.start);
      return false;
    }
    if (launch.counts()) metrics_->AddLaunch(launch.start, launch.end, launch.first_gpu_start);
    if (joined_ != nullptr) joined_->OnLaunch(launch);
    return true;
  });
}

// Decides the launch's iteration; false while a range around it may still arrive. Launches of a thread come in a row:
// mostly the place of the one before is its own.
bool GpuJoin::Resolve(Launch& launch, const Horizon& horizon) {
  const uint64_t thread = ThreadKey(launch.process(), launch.thread);
  if (place_.Holds(thread, launch.start)) {
    Assign(launch, place_);
    return true;
  }
  const RangeAnswer answer = ranges_->Find(thread, launch.start, settled_, horizon.settled);
  if (answer.verdict == RangeAnswer::kFound) {
    place_ = {thread, launch.start, answer.until, OpenIteration(answer.key), answer.in_sample};
    Assign(launch, place_);
  }
  if (answer.verdict != RangeAnswer::kUnknown) return true;
  // Nobody's after a long time, or at once where its thread has no ranges and memory is short.
  const bool strange = horizon.pressed && !ranges_->Knows(thread);
  return strange || Later(launch.start, 5 * deadline_ns_) < settled_;
}

PoolIndex GpuJoin::OpenIteration(const record::IterationKey& key) {
  const PoolIndex index = iterations_->FindOrAdd(key);
  return index == 0 || (*iterations_)[index].sealed ? 0 : index;
}

void GpuJoin::Assign(Launch& launch, const Place& place) {
  if (place.iteration == 0) {
    losses_->Add(base::Loss::kPendingLaunchEvicted);
    return;
  }
  Iteration& iteration = (*iterations_)[place.iteration];
  launch.iteration = iterations_->RefTo(place.iteration);
  launch.in_sample = place.in_sample;
  if (!launch.counts()) return;
  ++iteration.launches;
  if (launch.api_class == ApiClass::kGraphLaunch) ++iteration.graph_launches;
  iteration.first_launch = iteration.first_launch == 0 ? launch.start : std::min(iteration.first_launch, launch.start);
}

// When no further GPU record can belong to a launch. What has its one record stays until a call around it, which would
// share its id, would have come; other calls may have many records, some of them late.
GpuJoin::Patience GpuJoin::PatienceOf(const Horizon& horizon) const {
  if (horizon.settled == kForever) return {.over = record_count_ == 0};  // first the records, then the launches
  const auto before = [](TimeNs time, uint64_t ns) { return time - std::min(time, ns); };
  const bool crowded = launches_.size() > launches_.capacity() / 2;
  // What came in this round, in whose time much may have passed, is joined after this.
  return {.launch_without_work = before(settled_before_, 5 * deadline_ns_),
          .call_without_work = before(settled_before_, deadline_ns_),
          .single = crowded ? horizon.settled + 1 : before(settled_before_, settle_ns_),
          .others = before(settled_, deadline_ns_)};
}

bool GpuJoin::Finished(const Launch& launch, const Patience& patience) {
  if (patience.over) return true;
  if (launch.gpu_records == 0) {
    return launch.end < (launch.counts() ? patience.launch_without_work : patience.call_without_work);
  }
  const bool single = launch.api_class == ApiClass::kKernelLaunch || launch.api_class == ApiClass::kMemcpy ||
                      launch.api_class == ApiClass::kMemset;
  return std::max(launch.end, launch.last_gpu_end) < (single ? patience.single : patience.others);
}

void GpuJoin::JoinRecords(const Horizon& horizon, TimeNs now) {
  size_t kept = 0;
  for (size_t i = 0; i < record_count_; ++i) {
    GpuRecord& record = records_[i];
    if (now != 0 && record.end > Later(now, kOtherClockNs)) {  // the future: not a time of our clock
      losses_->Add(base::Loss::kBadTimestamp);
      record.ForgetTime(settled_);
    }
    if (record.end > horizon.settled || !Join(record, horizon)) records_[kept++] = record;
  }
  record_count_ = kept;
}

bool GpuJoin::Join(GpuRecord& record, const Horizon& horizon) {
  const uint64_t id = LaunchId(record.process, record.correlation);
  Launch* launch = last_launch_;
  if (launch == nullptr || last_id_ != id || launch->shares_id) {
    launch = launches_.Find(id, record.timed() ? record.end : kForever);
    last_launch_ = launch;
    last_id_ = id;
  }
  // Of calls before `settled_` all are known: a launch that is not there by then was not recorded.
  if (!record.counted && (launch != nullptr || record.end <= settled_)) Count(record, launch);
  if (launch != nullptr && launch->resolved) {
    Attach(record, *launch);
    return true;
  }
  // Its launch, or the range around that, is not known yet.
  const uint64_t patience = launch == nullptr ? deadline_ns_ : 6 * deadline_ns_;
  const bool over = horizon.settled == kForever || Later(record.end, patience) < settled_;
  if (over) losses_->Add(launch == nullptr ? base::Loss::kGpuWithoutCall : base::Loss::kPendingGpuEvicted);
  return over;
}

bool GpuJoin::IsOfOtherClock(const GpuRecord& record, const Launch& launch) {
  return record.timed() && Later(record.end, kOtherClockNs) < launch.start;
}

void GpuJoin::Count(GpuRecord& record, const Launch* launch) {
  record.counted = true;
  const bool timed = record.timed() && (launch == nullptr || !IsOfOtherClock(record, *launch));
  if (joined_ != nullptr) {
    GpuRecord told = record;
    if (!timed) told.ForgetTime(record.timed() ? settled_ : record.end);
    joined_->OnWork(told, launch);
  }
  if (!timed) return;
  device_time_->Add({.start = record.start,
                     .end = record.end,
                     .call_end = launch != nullptr ? launch->end : 0,
                     .device = static_cast<uint8_t>(devices_->NumberOf(record.device)),
                     .compute = record.is_compute()});
}

void GpuJoin::Attach(const GpuRecord& record, Launch& launch) {
  const bool other_clock = IsOfOtherClock(record, launch);
  const bool timed = record.timed() && !other_clock;
  if (other_clock) losses_->Add(base::Loss::kBadTimestamp);
  const bool first = launch.gpu_records++ == 0;
  if (timed) {
    launch.last_gpu_end = std::max(launch.last_gpu_end, record.end);
    if (launch.first_gpu_start == 0 || record.start < launch.first_gpu_start) launch.first_gpu_start = record.start;
  }
  Iteration* iteration = iterations_->Resolve(launch.iteration);
  if (iteration == nullptr) return;
  if (iteration->sealed) {
    losses_->Add(base::Loss::kPendingGpuEvicted);
    return;
  }
  if (first && launch.counts()) ++iteration->launches_matched;
  iteration->device_mask |= record.device_bit();
  AddWork(*iteration, record, timed, launch.in_sample || record.operation == GpuOperation::kSampleKernel);
}

void GpuJoin::AddWork(Iteration& iteration, const GpuRecord& record, bool timed, bool sampling) {
  const GpuOperation operation = record.operation;
  const bool kernel = operation == GpuOperation::kKernel || operation == GpuOperation::kSampleKernel ||
                      operation == GpuOperation::kCollectiveKernel;
  if (kernel) ++iteration.kernels;
  if (!timed) return;  // counted, not summed
  const Interval piece{record.start, record.end};
  if (sampling) {
    iteration.first_sampling_end =
        iteration.sampling.known() ? std::min(iteration.first_sampling_end, record.end) : record.end;
    iteration.sampling.Cover(record.start, record.end);
  } else if (operation == GpuOperation::kReadback) {
    intervals_->AddApart(iteration.readback, piece);
  } else if (kernel || operation == GpuOperation::kGraph) {
    intervals_->Add(operation == GpuOperation::kCollectiveKernel ? iteration.collectives : iteration.work, piece);
    iteration.gpu.Cover(record.start, record.end);
  }
}

}  // namespace slowtoken::attribution
