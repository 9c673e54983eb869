// TimelineLane: events of one row of a timeline, at most kMostEvents of them: where there are more, the longest stay
// and the rest is counted. Single threaded; an event more costs a heap operation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "record/ids.h"

namespace slowtoken::report::html {

class TimelineLane {
 public:
  static constexpr size_t kMostEvents = 400;
  struct Event {
    record::TimeNs start = 0, end = 0;
    uint32_t name = 0;  // index among the names of the page
  };

  void Add(const Event& event) {
    ++count_;
    length_ns_ += event.end - event.start;
    events_.push_back(event);
    std::push_heap(events_.begin(), events_.end(), Longer);
    if (events_.size() <= kMostEvents) return;
    std::pop_heap(events_.begin(), events_.end(), Longer);
    events_.pop_back();
  }

  size_t size() const { return events_.size(); }
  uint64_t count() const { return count_; }          // of all that were added
  uint64_t length_ns() const { return length_ns_; }  // of all of them added up

  // The `most` longest, in order of start; of those that start together the longest first.
  std::vector<Event> Longest(size_t most) const {
    std::vector<Event> longest = events_;
    std::sort(longest.begin(), longest.end(), Longer);
    longest.resize(std::min(longest.size(), most));
    std::sort(longest.begin(), longest.end(),
              [](const Event& a, const Event& b) { return a.start != b.start ? a.start < b.start : a.end > b.end; });
    return longest;
  }

 private:
  static bool Longer(const Event& a, const Event& b) { return a.end - a.start > b.end - b.start; }

  std::vector<Event> events_;  // a heap with the shortest on top
  uint64_t count_ = 0, length_ns_ = 0;
};

}  // namespace slowtoken::report::html
