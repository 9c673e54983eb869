#include "sched/watched_thread.h"

#include <errno.h>

#include <algorithm>

namespace slowtoken::sched {

bool WatchedThread::Begin(record::ThreadId thread, record::TimeNs now, const WatchContext& context) {
  End();
  if (stat_.Open(thread) != 0 || stat_.Read(thread, totals_) != SchedStat::Look::kRead) {
    stat_.Close();
    return false;
  }
  thread_ = thread;
  sampled_to_ = now;
  ring_error_ = context.switches ? ring_.Open(thread, SwitchRing::kLeastBytes, context.under_seccomp) : 0;
  if (ring_error_ == ESRCH) {
    End();
    return false;
  }
  timeline_.Begin(thread, now);
  switches_taken_ = window_taken_ = counted_ahead_ = 0;
  loss_untold_ = false;
  return true;
}

bool WatchedThread::Look(record::TimeNs until, const WatchContext& context) {
  if (ring_.is_open()) {
    Drain(ring_, context);
    if (ring_.reader().last_used() > ring_.reader().size() / 2) Widen(context);
    timeline_.Settle(until, context.out);
  }
  SchedTotals now;
  const SchedStat::Look look = stat_.Read(thread_, now);
  // Totals that go down are those of a new thread with the same id.
  const bool another = now.ran_ns < totals_.ran_ns || now.waited_ns < totals_.waited_ns;
  if (look == SchedStat::Look::kGone || (look == SchedStat::Look::kRead && another)) return false;
  if (look == SchedStat::Look::kRead && until > sampled_to_) TellSample(until, now, context);
  return true;
}

void WatchedThread::Drain(SwitchRing& ring, const WatchContext& context) {
  ring.reader().Drain(
      [&](Switch s) {
        s.time += static_cast<record::TimeNs>(context.clock_offset_ns);
        timeline_.Add(s, context.out);
      },
      [&](uint64_t count) {
        timeline_.Lose();
        loss_untold_ = count == 0;
        context.losses.Add(base::Loss::kSwitchesLost, count);
      });
}

// More than half full: the next one is twice as large. Both are written for a moment; what the new one repeats is
// older than what the old one had told, and is left out there.
void WatchedThread::Widen(const WatchContext& context) {
  const size_t wider = ring_.reader().size() * 2;
  SwitchRing next;
  if (wider > SwitchRing::kMostBytes || next.Open(thread_, wider, context.under_seccomp) != 0) return;
  Drain(ring_, context);
  // How many were lost the old one would have said with its next record: one at least.
  if (loss_untold_) context.losses.Add(base::Loss::kSwitchesLost);
  loss_untold_ = false;
  ring_.Take(next);
  timeline_.SkipRepeated();
}

// With every switch known, the totals of schedstat are needed for the waits alone: after a sleep a thread may have
// waited for a CPU, and no switch tells.
void WatchedThread::TellSample(record::TimeNs until, const SchedTotals& now, const WatchContext& context) {
  const uint64_t length = until - sampled_to_;
  const uint64_t waited = now.waited_ns - totals_.waited_ns;
  record::CpuSample sample{.start = sampled_to_, .end = until, .thread = thread_, .process = 0};
  const SwitchTimeline::Sums sums = ring_.is_open() ? timeline_.TakeSums() : SwitchTimeline::Sums{.exact = false};
  sample.exact = sums.exact;
  const uint64_t off = sums.blocked_ns + sums.preempted_ns;
  sample.ran_ns = sums.exact ? length - std::min(off, length) : std::min(now.ran_ns - totals_.ran_ns, length);
  const uint64_t all_waited = Waited(sums, waited);
  sample.waited_ns = std::min(all_waited, length - sample.ran_ns);
  if (ring_.is_open()) {
    context.out.On(sample);
  } else {
    context.pending.Backdate(thread_, all_waited - sample.waited_ns);
    context.pending.Add(sample);
  }
  sampled_to_ = until;
  totals_ = now;
}

// A wait after a sleep is known from schedstat alone, which counts it when it ends; one after a preemption is known
// while it lasts, and must not be counted again when schedstat has it.
uint64_t WatchedThread::Waited(const SwitchTimeline::Sums& sums, uint64_t ended) {
  if (!sums.exact) {
    counted_ahead_ = 0;
    return ended;
  }
  counted_ahead_ += sums.preempted_ns;
  const uint64_t again = std::min(counted_ahead_, ended);
  counted_ahead_ = timeline_.waiting() ? counted_ahead_ - again : 0;
  return sums.preempted_ns + (ended - again);
}

uint64_t WatchedThread::TakeSwitches() {
  const uint64_t count = timeline_.switches() - switches_taken_;
  switches_taken_ = timeline_.switches();
  return count;
}

uint64_t WatchedThread::TakeWindow() {
  const uint64_t count = timeline_.switches() - window_taken_;
  window_taken_ = timeline_.switches();
  return count;
}

void WatchedThread::End() {
  ring_.Close();
  stat_.Close();
  thread_ = 0;
}

void WatchedThread::ForgetInChild() {
  ring_.Forget();
  stat_.Close();
  thread_ = 0;
}

}  // namespace slowtoken::sched
