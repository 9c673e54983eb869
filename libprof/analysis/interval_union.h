// IntervalUnion: how long at least one of many overlapping intervals was active, and the gaps between, while the
// intervals stream by roughly in order (bug log row 115: durations that overlap must not be added up).
// Keeps the newest gaps open, so that an interval that arrives late still closes what it covers; older gaps are handed
// to the sink, in order. In order: O(1) an interval. Late: a binary search over at most kOpenGaps. Single threaded.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "analysis/ended_by.h"
#include "analysis/interval.h"

namespace slowtoken::analysis {

// `Tag` is what is remembered of the interval that ends a gap: uint64_t or EndedBy.
template <typename Tag>
class BasicIntervalUnion {
 public:
  struct Gap {
    TimeNs start = 0;
    TimeNs end = 0;
    Tag ended_by{};
    bool operator==(const Gap&) const = default;
  };
  using Sink = std::function<void(const Gap&)>;
  static constexpr size_t kOpenGaps = 4096;

  explicit BasicIntervalUnion(Sink sink = nullptr, size_t open_gaps = kOpenGaps)
      : sink_(std::move(sink)), open_gaps_(open_gaps) {}

  // [start, end) became known to be active; nothing if it is empty. `tag` is given back in the gap it ends.
  void Add(TimeNs start, TimeNs end, const Tag& tag);

  // Hands the remaining gaps to the sink.
  void Finish();

  bool empty() const { return empty_; }
  TimeNs first() const { return first_; }
  TimeNs last() const { return last_; }
  uint64_t covered() const { return covered_; }
  uint64_t late() const { return late_; }  // intervals that began before a gap already handed out

 private:
  void AddBeforeFirst(TimeNs start, TimeNs end, const Tag& tag);
  void Carve(TimeNs start, TimeNs end, const Tag& tag);
  void Trim(size_t keep);

  Sink sink_;
  size_t open_gaps_;
  bool empty_ = true;
  TimeNs first_ = 0, last_ = 0, handed_out_to_ = 0;
  Tag first_tag_{};
  uint64_t covered_ = 0, late_ = 0;
  std::deque<Gap> gaps_;  // disjoint, in order of time
};

using IntervalUnion = BasicIntervalUnion<uint64_t>;

}  // namespace slowtoken::analysis
