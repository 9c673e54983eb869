// QueueDepth: how many launches of a process had been made and not begun on the GPU. A launch waits from the return of
// its call to the start of its first GPU work, where that is later. Fed with launches a little out of order: they are
// sorted over kPatience of the trace. Single threaded; about 100 ns a launch; memory for the launches of that time.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "analysis/interval.h"

namespace slowtoken::analysis {

class QueueDepth {
 public:
  // `gpu_start` may lie before `call_end`: such a launch does not wait.
  void Add(TimeNs call_end, TimeNs gpu_start);

  // What comes from now on was launched after `watermark` less kPatience.
  void Advance(TimeNs watermark);
  void Finish();

  uint64_t launches() const { return launches_; }
  uint64_t most() const { return most_; }
  // Over the time from the first call's return to the last start.
  double mean() const;

 private:
  static constexpr TimeNs kPatience = 30'000'000'000;
  struct Change {
    TimeNs time = 0;
    int step = 0;
    bool operator>(const Change& other) const {
      return time != other.time ? time > other.time : step > other.step;  // what begins leaves before what comes
    }
  };
  void Run(TimeNs until);

  std::priority_queue<Change, std::vector<Change>, std::greater<>> changes_;
  uint64_t launches_ = 0, waited_ns_ = 0, most_ = 0;
  int64_t depth_ = 0;
  TimeNs first_ = 0, last_ = 0;
};

}  // namespace slowtoken::analysis
