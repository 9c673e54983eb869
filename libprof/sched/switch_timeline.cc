#include "sched/switch_timeline.h"

namespace slowtoken::sched {
namespace {

// CPUs read the fast clock of the kernel some 10 ns apart while it is adjusted, and Settle comes before the last switch
// is written once in a while. Further back is another matter.
constexpr record::TimeNs kBackwards = 100'000;

// Two rings get the same switch one after the other, with a time each.
constexpr record::TimeNs kApart = 20'000;

}  // namespace

void SwitchTimeline::Begin(record::ThreadId thread, record::TimeNs now) {
  *this = {};
  thread_ = thread;
  last_ = now;
  sums_.exact = false;
}

void SwitchTimeline::Add(const Switch& s, record::EventVisitor& out) {
  if (repeated_to_ != 0 && IsRepeated(s)) return;
  ++switches_;
  last_switch_ = s.time;
  const record::TimeNs time = s.time > last_ ? s.time : last_;
  if (time - s.time > kBackwards) sums_.exact = false;
  last_ = time;
  if (s.out) {
    if (state_ == State::kOff) sums_.exact = false;
    state_ = State::kOff;
    reason_ = s.preempted ? record::OffCpuReason::kPreempted : record::OffCpuReason::kBlocked;
    off_since_ = summed_to_ = told_to_ = time;
    left_cpu_ = s.cpu;
    return;
  }
  if (state_ == State::kOn) sums_.exact = false;
  if (state_ == State::kOff) Count(time, s.cpu != left_cpu_, out);
  state_ = State::kOn;
}

bool SwitchTimeline::IsRepeated(const Switch& s) const {
  if (s.time <= repeated_to_) return true;
  return s.time <= repeated_to_ + kApart && last_switch_ == repeated_to_ && s.out == (state_ == State::kOff);
}

void SwitchTimeline::Lose() {
  state_ = State::kUnknown;
  sums_.exact = false;
}

void SwitchTimeline::Settle(record::TimeNs until, record::EventVisitor& out) {
  if (until <= last_) return;
  last_ = until;
  if (state_ == State::kOff) Count(until, false, out);
}

void SwitchTimeline::Count(record::TimeNs to, bool migrated, record::EventVisitor& out) {
  (reason_ == record::OffCpuReason::kPreempted ? sums_.preempted_ns : sums_.blocked_ns) += to - summed_to_;
  summed_to_ = to;
  const bool news = to != told_to_ && to - off_since_ >= kLeastTold;
  if (!news && !migrated) return;
  out.On(record::OffCpu{
      .start = told_to_, .end = to, .thread = thread_, .reason = reason_, .migrated = migrated, .process = 0});
  told_to_ = to;
}

SwitchTimeline::Sums SwitchTimeline::TakeSums() {
  const Sums sums = sums_;
  sums_ = {};
  sums_.exact = state_ != State::kUnknown;
  return sums;
}

}  // namespace slowtoken::sched
