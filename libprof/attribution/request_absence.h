// RequestAbsence: how long no request was in the system, up to an instant: what an idle GPU without work is measured
// by. Follows the request table window by window, as attribution settles. A request is there from the first that was
// heard of it to its end. Used by DeviceTime through Engine; single threaded; bounded. A window costs a walk over the
// table.
#pragma once

#include "attribution/interval_pool.h"
#include "attribution/request_table.h"

namespace slowtoken::attribution {

class RequestAbsence {
 public:
  bool Init(base::Arena& arena, const Limits& limits);

  // Goes on to `until`; the window is from the last `until` to this one.
  void Follow(RequestTable& requests, TimeNs until);

  // Time without a request before `t`, and between two instants, that lie in the window (else the nearest end of it
  // stands for them). Next to free where there were requests all the time.
  uint64_t Before(TimeNs t) const;
  uint64_t Between(TimeNs from, TimeNs to) const { return count_ == 0 ? 0 : Before(to) - Before(from); }

  // Whether requests are seen to come and go here at all. If not, their absence means nothing.
  bool known() const { return known_; }

 private:
  void Collect(RequestTable& requests, TimeNs until);

  std::span<Interval> present_;  // in the window, then: absent in the window, in order
  size_t count_ = 0;
  TimeNs from_ = 0, until_ = 0;
  uint64_t before_window_ = 0;
  bool known_ = false;
};

}  // namespace slowtoken::attribution
