// SwitchTimeline: turns the context switches of one thread into the times it was off the CPU, and sums them up between
// two samples. Pure: no system call, no clock. Worker thread; a few ns a switch.
#pragma once

#include "record/visitor.h"
#include "sched/ring_reader.h"

namespace slowtoken::sched {

class SwitchTimeline {
 public:
  // Shorter times off the CPU are in the sums alone, unless the thread came back on another one.
  static constexpr record::TimeNs kLeastTold = 50'000;

  // Begins to watch `thread` at `now`. Whether it is on a CPU, its first switch tells.
  void Begin(record::ThreadId thread, record::TimeNs now);

  // The next switch. What cannot follow on the one before (two times out, far back in time) makes the sums inexact.
  void Add(const Switch& s, record::EventVisitor& out);

  // Switches are missing here: until the next one nothing is known.
  void Lose();

  // What comes next begins a little before what has come, from another ring: what is repeated is left out.
  void SkipRepeated() { repeated_to_ = last_switch_; }

  // No switch before `until` will come any more: of a time off the CPU that goes on, the part until then is told, and
  // the next part begins there.
  void Settle(record::TimeNs until, record::EventVisitor& out);

  // What has been summed up since the last call, up to the last Settle.
  struct Sums {
    uint64_t blocked_ns = 0;
    uint64_t preempted_ns = 0;
    bool exact = true;  // the rest of the time it was on a CPU
  };
  Sums TakeSums();

  // It is off the CPU and could go on.
  bool waiting() const { return state_ == State::kOff && reason_ == record::OffCpuReason::kPreempted; }

  uint64_t switches() const { return switches_; }

 private:
  enum class State : uint8_t { kUnknown, kOn, kOff };

  bool IsRepeated(const Switch& s) const;
  // Off the CPU from `told_to_` to `to`: into the sums, and told if all of it is long enough or ended on another CPU.
  void Count(record::TimeNs to, bool migrated, record::EventVisitor& out);

  State state_ = State::kUnknown;
  record::OffCpuReason reason_ = record::OffCpuReason::kBlocked;
  record::ThreadId thread_ = 0;
  record::TimeNs last_ = 0;  // no event before this one counts any more
  record::TimeNs last_switch_ = 0;
  uint32_t left_cpu_ = 0;  // kOff: the one it was on
  record::TimeNs repeated_to_ = 0;
  record::TimeNs off_since_ = 0;  // kOff: when it went
  record::TimeNs summed_to_ = 0;  // kOff: what is in the sums
  record::TimeNs told_to_ = 0;    // kOff: what has been told
  uint64_t switches_ = 0;
  Sums sums_;
};

}  // namespace slowtoken::sched
