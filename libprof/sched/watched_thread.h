// WatchedThread: one thread of the host whose states are told: its ring of switches where there is one, its totals from
// schedstat always. Worker thread. A look costs one fstat, one pread and some 30 ns a switch.
#pragma once

#include "sched/pending_samples.h"
#include "sched/sched_stat.h"
#include "sched/switch_ring.h"
#include "sched/switch_timeline.h"

namespace slowtoken::sched {

// What a watched thread may use.
struct WatchContext {
  record::EventVisitor& out;
  base::LossCounters& losses;
  PendingSamples& pending;      // for samples of a thread without a ring
  int64_t clock_offset_ns = 0;  // CLOCK_MONOTONIC here less the kernel's: a time namespace
  bool switches = true;         // perf events may be asked for,
  bool under_seccomp = false;   // under a seccomp filter too
};

class WatchedThread {
 public:
  WatchedThread() = default;

  // Begins at `now`. False: the thread is gone, or there is no schedstat.
  bool Begin(record::ThreadId thread, record::TimeNs now, const WatchContext& context);

  // Tells what the thread did from the last look until `until`. False: it has ended.
  bool Look(record::TimeNs until, const WatchContext& context);

  void End();
  // In a forked child: the ring is not there, the descriptor is a copy.
  void ForgetInChild();

  bool in_use() const { return thread_ != 0; }
  record::ThreadId thread() const { return thread_; }
  // Why there is no ring (SwitchRing::Open); 0 where there is one or none was asked for.
  int ring_error() const { return ring_error_; }
  bool has_ring() const { return ring_.is_open(); }
  size_t ring_bytes() const { return ring_.bytes(); }
  // Switches told by the ring since the last call.
  uint64_t TakeSwitches();

  // Switches since the last call of this one.
  uint64_t TakeWindow();

  // From here on totals are all there is: watching its switches costs the host too much.
  void DropRing() {
    ring_.Close();
    ring_error_ = SwitchRing::kTooManySwitches;
  }

 private:
  void Drain(SwitchRing& ring, const WatchContext& context);
  void Widen(const WatchContext& context);
  uint64_t Waited(const SwitchTimeline::Sums& sums, uint64_t ended);
  void TellSample(record::TimeNs until, const SchedTotals& now, const WatchContext& context);

  record::ThreadId thread_ = 0;
  int ring_error_ = 0;
  bool loss_untold_ = false;  // switches were lost, and the kernel has not said yet how many
  record::TimeNs sampled_to_ = 0;
  uint64_t switches_taken_ = 0;
  uint64_t window_taken_ = 0;
  uint64_t counted_ahead_ = 0;  // of waits, before schedstat had them
  SchedTotals totals_;
  SchedStat stat_;
  SwitchRing ring_;
  SwitchTimeline timeline_;
};

}  // namespace slowtoken::sched
