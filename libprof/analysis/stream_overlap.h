// StreamOverlap: how long at least two streams of a device were busy. Work comes in order of its start, or a little out
// of it. A step for each stream a record; single threaded.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/interval_union.h"
#include "record/ids.h"

namespace slowtoken::analysis {

class StreamOverlap {
 public:
  void Add(record::LaneId lane, TimeNs start, TimeNs end) {
    TimeNs* own = nullptr;
    for (auto& [other, busy_until] : streams_) {
      if (other == lane) {
        own = &busy_until;
      } else if (busy_until > start) {
        both_.Add(start, std::min(end, busy_until), 0);
      }
    }
    if (own == nullptr) own = &streams_.emplace_back(lane, 0).second;
    *own = std::max(*own, end);
  }

  uint64_t covered() const { return both_.covered(); }

 private:
  std::vector<std::pair<record::LaneId, TimeNs>> streams_;  // and until when each is busy
  IntervalUnion both_;
};

}  // namespace slowtoken::analysis
