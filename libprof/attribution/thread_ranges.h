// ThreadRanges: the iter and iter.* ranges of each thread, to find the innermost one open at an instant. Filled from
// annotations in any order; asked once per launch. Used by attribution only; single threaded; bounded.
// A question costs a few steps when the instants asked for on a thread come in order (each thread has a cursor).
#pragma once

#include "attribution/iteration.h"
#include "base/flat_map.h"
#include "base/loss.h"
#include "record/annotation.h"

namespace slowtoken::attribution {

// What is kept of an iter or iter.* annotation.
struct IterationRange {
  uint64_t thread = 0;  // ThreadKey
  TimeNs start = 0;
  TimeNs end = 0;  // 0 = still open
  record::IterationKey key;
  record::AnnotationName name = record::AnnotationName::kIter;
  bool keyed = false;
};

// The answer to "which iteration does this instant on this thread belong to?".
struct RangeAnswer {
  enum Verdict : uint8_t {
    kUnknown,  // a range that covers it may still arrive
    kFound,    // `key` is it
    kNobody,   // no range can cover it any more
  };
  Verdict verdict = kUnknown;
  bool in_sample = false;  // inside iter.sample of that iteration
  record::IterationKey key;
  TimeNs until = 0;  // of ThreadRanges::Find, where found: the same answer for every later instant before this one
};

class ThreadRanges {
 public:
  bool Init(base::Arena& arena, uint32_t threads, uint32_t ranges, base::LossCounters& losses);

  // Adds a range, or completes one given before with end 0 (same thread, start and name). Returns its index, 0 when
  // the table is full of ranges that are still needed.
  PoolIndex Add(const IterationRange& range);

  // `settled`: every range that ended up to then has been added (kForever: all there will ever be). `trusted` >=
  // settled: ranges that ended up to then are taken for innermost although one inside them might be missing.
  RangeAnswer Find(uint64_t thread, TimeNs at, TimeNs settled, TimeNs trusted);

  // The iteration of a range that has no key of its own: that of the nearest keyed range around it.
  RangeAnswer FindAround(PoolIndex range, TimeNs settled) const;

  // Whether any range of the thread was ever seen.
  bool Knows(uint64_t thread) const { return threads_.Find(thread) != nullptr; }

  const IterationRange& operator[](PoolIndex index) const { return nodes_[index].range; }

  // Keeps the range from being pruned until it is released.
  void SetHeld(PoolIndex index, bool held) { nodes_[index].held = held; }

  // Forgets complete ranges that ended before `before` and are not held. Where more than half of the table is in use it
  // goes up to `settled`: what was called inside a range that ended before then has arrived and was asked for already,
  // so only events that are later than promised miss it. Add does the same when the table is full.
  void Prune(TimeNs before, TimeNs settled);

 private:
  struct Node {
    IterationRange range;
    PoolIndex next = 0, prev = 0;  // by start, then the longer first
    bool held = false;
  };
  struct Thread {
    PoolIndex head = 0, tail = 0, cursor = 0;
  };
  // Siblings looked at on the way outwards; more are not found inside one iteration.
  static constexpr int kMostSteps = 256;

  static TimeNs EndOf(const IterationRange& range) { return range.end == 0 ? kForever : range.end; }
  void Forget(TimeNs before);
  static bool Before(const IterationRange& a, const IterationRange& b);
  void Link(Thread& thread, PoolIndex index);
  void Unlink(Thread& thread, PoolIndex index);
  PoolIndex FindSame(const Thread& thread, const IterationRange& range) const;
  void Complete(Thread& thread, PoolIndex index, const IterationRange& range);
  // The last range of the thread that starts at or before `at`, or 0.
  PoolIndex LastFrom(Thread& thread, TimeNs at);
  // Whether a complete `iter` began after `from` and up to `settled`: then none that began before can still be open.
  bool IterBeganAfter(const Thread& thread, PoolIndex from, TimeNs settled) const;
  // From `from` outwards over the ranges that cover [at, until], to the nearest keyed one.
  RangeAnswer Climb(PoolIndex from, TimeNs until, TimeNs settled) const;

  base::FlatMap<uint64_t, Thread> threads_;
  base::Pool<Node> nodes_;
  TimeNs settled_ = 0;  // of the last Prune
  base::LossCounters* losses_ = nullptr;
};

}  // namespace slowtoken::attribution
