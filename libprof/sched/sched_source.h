// SchedSource: the states of the host's threads as a source of events: OffCpu and CpuSample of the threads that matter
// for a token, HostSample of the process. Made by the session in its arena; added to the pipeline last, so that a round
// knows already who was active. Worker thread; a round costs what watch_list.h and host_limits.h say.
#pragma once

#include "base/arena.h"
#include "capture/active_threads.h"
#include "capture/event_source.h"
#include "capture/recorded_text.h"
#include "sched/host_limits.h"
#include "sched/pending_samples.h"
#include "sched/watch_list.h"

namespace slowtoken::sched {

struct Options {
  // Switches a second that the kernel is let write down, all threads together: half a percent of one CPU.
  uint64_t most_switches = 5000;
  bool switches = true;         // context switches from perf events; else totals alone
  capture::RecordedText names;  // what thread names look like in the trace
  bool under_seccomp = false;   // ask for perf events even where a seccomp filter may kill for it
  int64_t clock_offset_ns = 0;  // of a time namespace: CLOCK_MONOTONIC here less the kernel's
};

class SchedSource final : public capture::EventSource {
 public:
  // What the rings take at most, beside the arena.
  static constexpr size_t kMostRingBytes = WatchList::kMost * (SwitchRing::kMostBytes + SwitchRing::kPage);

  // `active` lives as long as the source. Starting thread. False: the arena is out of memory.
  bool Init(base::Arena& arena, const Options& options, capture::ActiveThreads& active);

  void Collect(capture::CollectContext& context) override;
  record::TimeNs CompleteUpTo(const capture::ClockMap& clock, record::TimeNs round_start) override;
  // Where totals are all there is they are read more often than once a round, while anything happens.
  uint32_t LookPeriodMs() const override { return polls_ ? kTotalsMs : 0; }
  bool Look() override;
  // Nothing is watched during a pause, and watching costs the host nothing.
  void SetPaused(bool paused, capture::CollectContext& context) override;
  void AddCost(record::OwnCost& cost) const override;
  void ForgetInChild() override;

 private:
  static constexpr uint32_t kTotalsMs = 20;

  WatchContext Context(record::EventVisitor& out) {
    return {out, *losses_, pending_, options_.clock_offset_ns, switches_asked_, options_.under_seccomp};
  }
  void TakeStock(record::TimeNs now);
  void KeepToBudget(record::TimeNs now, capture::CollectContext& context);
  void Begin(record::TimeNs now, capture::CollectContext& context);
  void Choose(record::TimeNs now, capture::CollectContext& context, const WatchContext& watch);
  void TellName(record::ThreadId thread, capture::CollectContext& context);
  void TellStatus(int error, capture::CollectContext& context);

  Options options_;
  capture::ActiveThreads* active_ = nullptr;
  std::span<char> scratch_;
  PendingSamples pending_;
  base::LossCounters* losses_ = nullptr;
  WatchList watched_;
  HostLimits limits_;
  bool begun_ = false;
  bool paused_ = false;
  bool polls_ = false;           // there are threads of which totals are all there is, and something happens
  bool switches_asked_ = true;   // asking for perf events has a point
  int told_ = -1;                // what the status told last said; -1: none was told
  record::TimeNs complete_ = 0;  // of the last round: everything before it has been told
  record::TimeNs limits_seen_ = 0;
  record::TimeNs looked_ = 0;
  uint64_t switches_ = 0;  // that the kernel wrote down for us
  size_t ring_bytes_ = 0;
  record::TimeNs window_start_ = 0;  // since when switches are counted for the budget
  uint64_t window_switches_ = 0;
};

}  // namespace slowtoken::sched
