#include "attribution/blind_intervals.h"

#include <algorithm>

namespace slowtoken::attribution {

bool BlindIntervals::Before(const Change& a, const Change& b) {
  if (a.process != b.process) return a.process < b.process;
  if (a.source != b.source) return a.source < b.source;
  return a.time != b.time ? a.time < b.time : a.reason < b.reason;
}

void BlindIntervals::Add(const record::SourceStatus& status) {
  if (!status.BeginsBlind() && !status.EndsBlind()) return;
  const Change change{status.time, status.process, status.source, status.reason};
  auto at = std::lower_bound(changes_.begin(), changes_.begin() + static_cast<ptrdiff_t>(count_), change, Before);
  const bool known = at != changes_.begin() + static_cast<ptrdiff_t>(count_) && !Before(change, *at);
  if (known || changes_.empty()) return;
  if (count_ == changes_.size()) {
    DropOldest();
    at = std::lower_bound(changes_.begin(), changes_.begin() + static_cast<ptrdiff_t>(count_), change, Before);
  }
  std::copy_backward(at, changes_.begin() + static_cast<ptrdiff_t>(count_),
                     changes_.begin() + static_cast<ptrdiff_t>(count_) + 1);
  *at = change;
  ++count_;
}

void BlindIntervals::DropOldest() {
  const auto end = changes_.begin() + static_cast<ptrdiff_t>(count_);
  const auto oldest =
      std::min_element(changes_.begin(), end, [](const Change& a, const Change& b) { return a.time < b.time; });
  std::copy(oldest + 1, end, oldest);
  --count_;
}

bool BlindIntervals::OverlapAny(TimeNs start, TimeNs end) const {
  bool found = false;
  ForEach([&](const Change& change, TimeNs to) { found = found || (change.time <= end && start < to); });
  return found;
}

void BlindIntervals::AddLengths(record::ProcessIndex process, record::Source source, TimeNs until,
                                Lengths* lengths) const {
  ForEach([&](const Change& change, TimeNs to) {
    to = std::min(to, until);
    if (change.process != process || change.source != source || to <= change.time) return;
    (*lengths)[static_cast<size_t>(change.reason)] += to - change.time;
  });
}

}  // namespace slowtoken::attribution
