#include "analysis/request_presence.h"

#include <algorithm>

namespace slowtoken::analysis {

void RequestPresence::Add(const record::Annotation& range) {
  if (!IsTime(range.start)) return;
  TimeNs& end = ends_[{range.req(), range.start}];
  if (IsInterval(range.start, range.end)) end = std::max(end, range.end);
}

std::optional<std::vector<IntervalUnion::Gap>> RequestPresence::Absences() const {
  if (ends_.empty()) return std::nullopt;
  std::vector<std::pair<TimeNs, TimeNs>> present;
  for (const auto& [request, end] : ends_) present.emplace_back(request.second, end == 0 ? kLastTime : end);
  std::sort(present.begin(), present.end());
  std::vector<IntervalUnion::Gap> absences;
  TimeNs until = 0;
  for (const auto& [start, end] : present) {
    if (start > until) absences.push_back({until, start, 0});
    until = std::max(until, end);
  }
  if (until < kLastTime) absences.push_back({until, kLastTime, 0});
  return absences;
}

}  // namespace slowtoken::analysis
