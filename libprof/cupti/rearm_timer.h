// RearmTimer: when to look whether CUPTI is free again, and whether to take it. Others are never fought over CUPTI:
// while somebody holds its subscription we stay away; a client that never subscribed cannot be seen to leave, so it
// gets a long time, and twice as long when it comes back soon after we did. Worker only; plain arithmetic.
#pragma once

#include "base/time.h"

namespace slowtoken::cupti {

class RearmTimer {
 public:
  struct Times {
    base::TimeNs first_wait = 1'000'000'000;  // between two looks; doubled each time
    base::TimeNs longest_wait = 10'000'000'000;
    base::TimeNs patience = 30'000'000'000;  // with a client that has not subscribed
    base::TimeNs longest_patience = 600'000'000'000;
    base::TimeNs soon = 60'000'000'000;  // lost again this soon: somebody is still there
  };

  void Init(const Times& times) {
    times_ = times;
    patience_ = times.patience;
  }

  // Records have stopped coming to us. `holder_seen`: the subscription is known to be another's.
  void BlindBegan(base::TimeNs now, bool holder_seen) {
    if (armed_ != 0) {
      const bool soon = now - armed_ < times_.soon;
      patience_ =
          !soon ? times_.patience : (patience_ * 2 < times_.longest_patience ? patience_ * 2 : times_.longest_patience);
    }
    began_ = now;
    holder_seen_ = holder_seen;
    wait_ = times_.first_wait;
    next_look_ = now;  // who is there?
    if (holder_seen) Wait(now);
  }

  bool Due(base::TimeNs now) const { return now >= next_look_; }

  // Another holds the subscription, or arming failed.
  void NotYet(base::TimeNs now, bool holder_seen) {
    holder_seen_ = holder_seen_ || holder_seen;
    Wait(now);
  }

  // Nobody holds the subscription. True: whoever was there has gone.
  bool MayArm(base::TimeNs now) const { return holder_seen_ || now - began_ >= patience_; }

  void Armed(base::TimeNs now) { armed_ = now; }

  // Whether anybody has been seen to hold the subscription in this blind interval.
  bool holder_seen() const { return holder_seen_; }

 private:
  void Wait(base::TimeNs now) {
    next_look_ = now + wait_;
    wait_ = wait_ * 2 < times_.longest_wait ? wait_ * 2 : times_.longest_wait;
  }

  Times times_;
  base::TimeNs patience_ = 0;
  base::TimeNs began_ = 0, next_look_ = 0, wait_ = 0;
  base::TimeNs armed_ = 0;  // 0: not since a blind interval
  bool holder_seen_ = false;
};

}  // namespace slowtoken::cupti
