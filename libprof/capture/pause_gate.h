// PauseGate: which GPU work and CUDA calls belong to a pause of recording. They cannot be stopped inside CUPTI
// (toggling kinds is broken in 13.0) and come late: what the program launched while paused does not pass, what it
// launched before and after does. Part of Fanout; worker thread. One branch an event, while no record of a pause can
// come any more.
#pragma once

#include <array>
#include <span>

#include "base/time.h"
#include "record/visitor.h"

namespace slowtoken::capture {

class PauseGate {
 public:
  void Begin(base::TimeNs now);
  void End(base::TimeNs now);

  // Before each round: whether records of a pause may still come.
  void BeginRound(base::TimeNs now) {
    armed_ = count_ != 0 && (newest().to == kOpen || now < newest().to + kLatestRecordNs);
  }

  bool Passes(const record::ApiCall& call) {
    highest_call_ = call.correlation > highest_call_ ? call.correlation : highest_call_;
    return !armed_ || !CalledInPause(call);
  }
  template <typename GpuEvent>
  bool Passes(const GpuEvent& e) const {
    return !armed_ || !LaunchedInPause(e.start, e.correlation);
  }
  bool Passes(const record::Overhead& overhead) const { return !armed_ || !LaunchedInPause(overhead.start, 0); }

  // False: each is to be asked about. Of many calls the last one's id stands for the highest.
  bool PassesAll(std::span<const record::Kernel>) const { return !armed_; }
  bool PassesAll(std::span<const record::ApiCall> calls) {
    if (armed_) return false;
    if (!calls.empty() && calls.back().correlation > highest_call_) highest_call_ = calls.back().correlation;
    return true;
  }

 private:
  static constexpr base::TimeNs kOpen = UINT64_MAX;
  static constexpr base::TimeNs kLatestRecordNs = 10'000'000'000;  // twice as long as cupti/ waits for a buffer

  struct Pause {
    base::TimeNs from = 0, to = kOpen;          // from == 0: unused
    record::CorrelationId before = 0;           // the highest id of a call before it
    record::CorrelationId first = 0, last = 0;  // ids of the calls in it; 0: none seen
    bool Covers(base::TimeNs at) const { return from != 0 && at >= from && at < to; }
    bool Has(record::CorrelationId id) const { return id != 0 && first != 0 && first <= id && id <= last; }
  };

  Pause& newest() { return pauses_[(count_ - 1) % pauses_.size()]; }
  bool CalledInPause(const record::ApiCall& call);
  bool LaunchedInPause(base::TimeNs start, record::CorrelationId id) const;

  bool armed_ = false;
  record::CorrelationId highest_call_ = 0;
  std::array<Pause, 8> pauses_{};  // the newest ones
  uint64_t count_ = 0;
};

}  // namespace slowtoken::capture
