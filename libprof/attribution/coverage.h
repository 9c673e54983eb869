// Pieces and Coverage: the time of one phase as a list of intervals, and how much of it some evidence covers. Used by
// the cause judges, for stalls and slow first tokens only; on the stack, bounded; single threaded.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "attribution/interval_pool.h"

namespace slowtoken::attribution {

// Intervals in order that do not overlap. One too many is joined to the last, with the time between.
class Pieces {
 public:
  void Add(base::TimeNs start, base::TimeNs end) {
    if (start >= end) return;
    if (count_ > 0 && (items_[count_ - 1].end >= start || count_ == items_.size())) {
      items_[count_ - 1].end = std::max(items_[count_ - 1].end, end);
    } else {
      items_[count_++] = {start, end};
    }
  }
  std::span<const Interval> items() const { return std::span(items_).first(count_); }
  // How much of them lies in [start, end).
  uint64_t Shared(base::TimeNs start, base::TimeNs end) const {
    uint64_t sum = 0;
    for (const Interval& piece : items()) {
      const base::TimeNs from = std::max(start, piece.start), to = std::min(end, piece.end);
      if (from < to) sum += to - from;
    }
    return sum;
  }
  uint64_t length() const { return Shared(start(), end()); }
  base::TimeNs start() const { return count_ == 0 ? 0 : items_[0].start; }
  base::TimeNs end() const { return count_ == 0 ? 0 : items_[count_ - 1].end; }

 private:
  std::array<Interval, 64> items_{};
  size_t count_ = 0;
};

// Sums up evidence, in any order and overlapping, as far as it meets the pieces. What finds no room is left out: it
// covers too little, never too much.
class Coverage {
 public:
  explicit Coverage(const Pieces& pieces) : pieces_(pieces) {}

  void Add(base::TimeNs start, base::TimeNs end) {
    for (const Interval& piece : pieces_.items()) AddClipped(std::max(start, piece.start), std::min(end, piece.end));
  }

  uint64_t length() {
    Merge();
    uint64_t sum = 0;
    for (size_t i = 0; i < count_; ++i) sum += items_[i].end - items_[i].start;
    return sum;
  }
  base::TimeNs start() {
    Merge();
    return count_ == 0 ? 0 : items_[0].start;
  }
  base::TimeNs end() {
    Merge();
    return count_ == 0 ? 0 : items_[count_ - 1].end;
  }

  // visit(start, end) for each part of the pieces that is not covered.
  template <typename Visit>
  void ForEachRest(Visit visit) {
    Merge();
    for (const Interval& piece : pieces_.items()) {
      base::TimeNs at = piece.start;
      for (size_t i = 0; i < count_ && items_[i].start < piece.end; ++i) {
        if (items_[i].end <= at) continue;
        if (items_[i].start > at) visit(at, items_[i].start);
        at = items_[i].end;
      }
      if (at < piece.end) visit(at, piece.end);
    }
  }

 private:
  void AddClipped(base::TimeNs start, base::TimeNs end) {
    if (start >= end) return;
    if (count_ == items_.size()) Merge();
    if (count_ == items_.size()) return;
    items_[count_++] = {start, end};
    merged_ = false;
  }

  void Merge() {
    if (merged_) return;
    merged_ = true;
    std::sort(items_.begin(), items_.begin() + static_cast<ptrdiff_t>(count_),
              [](const Interval& a, const Interval& b) { return a.start < b.start; });
    size_t kept = 0;
    for (size_t i = 0; i < count_; ++i) {
      if (kept > 0 && items_[kept - 1].end >= items_[i].start) {
        items_[kept - 1].end = std::max(items_[kept - 1].end, items_[i].end);
      } else {
        items_[kept++] = items_[i];
      }
    }
    count_ = kept;
  }

  const Pieces& pieces_;
  std::array<Interval, 128> items_{};
  size_t count_ = 0;
  bool merged_ = true;
};

}  // namespace slowtoken::attribution
