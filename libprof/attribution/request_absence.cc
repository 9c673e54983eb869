#include "attribution/request_absence.h"

#include <algorithm>

namespace slowtoken::attribution {

bool RequestAbsence::Init(base::Arena& arena, const Limits& limits) {
  present_ = arena.AllocateArray<Interval>(limits.requests + size_t{1});
  return !present_.empty();
}

void RequestAbsence::Follow(RequestTable& requests, TimeNs until) {
  if (until <= until_ || until == kForever) return;
  before_window_ = Before(until_);
  from_ = until_ == 0 ? until : until_;
  until_ = until;
  known_ = requests.sees_lives();
  Collect(requests, until);
  // The intervals between them, written over those already read: there is at most one before each.
  std::sort(present_.begin(), present_.begin() + static_cast<ptrdiff_t>(count_),
            [](const Interval& a, const Interval& b) { return a.start < b.start; });
  size_t kept = 0;
  TimeNs at = from_;
  for (size_t i = 0; i < count_; ++i) {
    const Interval here = present_[i];
    if (here.start > at) present_[kept++] = {at, here.start};
    at = std::max(at, here.end);
  }
  if (at < until_) present_[kept++] = {at, until_};
  count_ = kept;
}

void RequestAbsence::Collect(RequestTable& requests, TimeNs until) {
  count_ = 0;
  requests.ForEach([&](const Request& request) {
    const TimeNs start = request.saw_req ? std::min(request.arrival, request.first_activity) : request.first_activity;
    TimeNs end = request.end != 0 ? request.end : kForever;
    if (request.done && request.end == 0) end = request.last_activity;
    if (start >= until || end <= from_ || count_ + 1 == present_.size()) return;
    present_[count_++] = {start, end};
  });
}

uint64_t RequestAbsence::Before(TimeNs t) const {
  uint64_t sum = before_window_;
  for (const Interval& absent : present_.first(count_)) {
    if (absent.start >= t) break;
    sum += std::min(t, absent.end) - absent.start;
  }
  return sum;
}

}  // namespace slowtoken::attribution
