// GpuJoin: brings GPU records, launches and iteration ranges together: record -> correlation id -> launch -> innermost
// range on the launching thread -> iteration. Everything is kept until it is settled (all that happened before has
// arrived), so that the order of arrival has no meaning. Used by Engine only; single threaded; bounded.
// A record costs a 40-byte write when it arrives and one probe (none for a run of equal ids) when it is joined.
#pragma once

#include "attribution/config.h"
#include "attribution/device_time.h"
#include "attribution/gpu_record.h"
#include "attribution/iteration_table.h"
#include "attribution/join_visitor.h"
#include "attribution/launch_table.h"
#include "attribution/metrics.h"
#include "attribution/thread_ranges.h"

namespace slowtoken::attribution {

class GpuJoin {
 public:
  struct Parts {
    IterationTable& iterations;
    IntervalPool& intervals;
    ThreadRanges& ranges;
    const Devices& devices;
    DeviceTime& device_time;
    Metrics& metrics;
    base::LossCounters& losses;
  };
  bool Init(base::Arena& arena, const EngineConfig& config, const Parts& parts);

  // Who is told of what is joined; nobody unless asked for.
  void Tell(JoinVisitor& joined) { joined_ = &joined; }

  void Add(const record::ApiCall& call);
  void Add(const GpuRecord& record);

  // Joins all that is settled. `now`: no true time is later (0 = not known).
  void Run(TimeNs settled, TimeNs now);

 private:
  struct Horizon {
    TimeNs settled = 0;
    bool pressed = false;  // memory is short: take what can be joined, give up what is old
  };
  // A launch is done with when the last that was heard of it lies before one of these.
  struct Patience {
    TimeNs launch_without_work = 0, call_without_work = 0;
    TimeNs single = 0;  // calls with one GPU record, once they have it
    TimeNs others = 0;  // with GPU records
    bool over = false;  // nothing is waited for any more
  };
  // Where launches of a thread from an instant to another one belong.
  struct Place {
    uint64_t thread = 0;  // ThreadKey
    TimeNs from = 0, until = 0;
    PoolIndex iteration = 0;  // 0: none that takes them
    bool in_sample = false;
    bool Holds(uint64_t key, TimeNs at) const { return key == thread && at >= from && at < until; }
  };
  bool Resolve(Launch& launch, const Horizon& horizon);
  PoolIndex OpenIteration(const record::IterationKey& key);
  void Assign(Launch& launch, const Place& place);
  Patience PatienceOf(const Horizon& horizon) const;
  static bool Finished(const Launch& launch, const Patience& patience);
  void SweepLaunches(const Horizon& horizon);
  void JoinRecords(const Horizon& horizon, TimeNs now);
  // True when the record is done with.
  bool Join(GpuRecord& record, const Horizon& horizon);
  void Count(GpuRecord& record, const Launch* launch);
  void DropOldestRecords();
  void Attach(const GpuRecord& record, Launch& launch);
  void AddWork(Iteration& iteration, const GpuRecord& record, bool timed, bool sampling);
  void RunPressed();
  bool IsCrowded() const;
  void ForgetIdleCalls();
  void DropOldestLaunches();
  static TimeNs Later(TimeNs time, uint64_t ns) { return time > kForever - ns ? kForever : time + ns; }
  static bool IsOfOtherClock(const GpuRecord& record, const Launch& launch);

  IterationTable* iterations_ = nullptr;
  IntervalPool* intervals_ = nullptr;
  ThreadRanges* ranges_ = nullptr;
  const Devices* devices_ = nullptr;
  DeviceTime* device_time_ = nullptr;
  Metrics* metrics_ = nullptr;
  base::LossCounters* losses_ = nullptr;
  JoinVisitor* joined_ = nullptr;
  uint64_t deadline_ns_ = 0, settle_ns_ = 0;

  LaunchTable launches_;
  std::span<GpuRecord> records_;
  size_t record_count_ = 0;
  TimeNs settled_ = 0;
  TimeNs settled_before_ = 0;  // at the run before: what came since has not been joined yet
  TimeNs latest_seen_ = 0;     // the latest end of any call or record
  TimeNs oldest_launch_ = 0;   // the earliest start of those that the last sweep kept
  uint64_t last_id_ = 0;       // the launch found last, for runs of records with one id
  Launch* last_launch_ = nullptr;
  Place place_;  // of the launch resolved last; good for one sweep
};

}  // namespace slowtoken::attribution
