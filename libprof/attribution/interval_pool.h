// IntervalPool and IntervalList: pieces of GPU time, many lists in one bounded pool. Used by attribution for the GPU
// work of each iteration; single threaded. Add is O(1); a piece that touches the last one costs no memory. When the
// pool is empty, or a list is as long as the scratch, a piece is merged with the one before it: the list then covers
// too much, never too little, and kIntervalsCoarsened counts it.
#pragma once

#include <array>
#include <span>

#include "base/arena.h"
#include "base/loss.h"
#include "base/pool.h"
#include "base/time.h"

namespace slowtoken::attribution {

struct Interval {
  base::TimeNs start = 0;
  base::TimeNs end = 0;
};

// Owned by whoever holds it, given back with IntervalPool::Clear. The newest piece stands in `last`.
struct IntervalList {
  Interval last;
  base::PoolIndex head = 0;
  base::PoolIndex tail = 0;
  uint32_t stored = 0;  // pieces in blocks, without `last`
  bool empty() const { return last.end == 0; }
};

class IntervalPool {
 public:
  bool Init(base::Arena& arena, uint32_t blocks, uint32_t scratch, base::LossCounters& losses);

  void Add(IntervalList& list, Interval piece);
  // As Add, but a piece stays apart from one that it touches.
  void AddApart(IntervalList& list, Interval piece);
  void Clear(IntervalList& list);

  // Sorts the list and merges what overlaps or touches. Returns the time it covers.
  uint64_t Normalize(IntervalList& list);

  // Calls visit(Interval) for each piece, in order after Normalize.
  template <typename Visit>
  void ForEach(const IntervalList& list, Visit visit) const {
    for (base::PoolIndex i = list.head; i != 0; i = blocks_[i].next) {
      for (uint32_t k = 0; k < blocks_[i].count; ++k) visit(blocks_[i].items[k]);
    }
    if (!list.empty()) visit(list.last);
  }

  // Time covered by either of two normalized lists.
  uint64_t UnionLength(const IntervalList& a, const IntervalList& b);

  size_t capacity() const { return blocks_.capacity(); }
  size_t free_blocks() const { return blocks_.capacity() - blocks_.in_use(); }

 private:
  struct Block {
    std::array<Interval, 15> items{};
    base::PoolIndex next = 0;
    uint32_t count = 0;
  };

  void Widen(IntervalList& list, Interval piece);
  // Moves `last` into the blocks; false when there is no room.
  bool Store(IntervalList& list);
  // Sorts and merges the first `count` pieces of the scratch; returns how many are left.
  size_t MergeScratch(size_t count);

  base::Pool<Block> blocks_;
  std::span<Interval> scratch_;
  base::LossCounters* losses_ = nullptr;
};

}  // namespace slowtoken::attribution
