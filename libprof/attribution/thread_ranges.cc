#include "attribution/thread_ranges.h"

namespace slowtoken::attribution {

bool ThreadRanges::Init(base::Arena& arena, uint32_t threads, uint32_t ranges, base::LossCounters& losses) {
  losses_ = &losses;
  return threads_.Init(arena, threads) && nodes_.Init(arena, ranges);
}

PoolIndex ThreadRanges::Add(const IterationRange& range) {
  Thread* thread = threads_.FindOrInsert(range.thread);
  if (thread == nullptr) {
    losses_->Add(base::Loss::kRangeTableFull);
    return 0;
  }
  PoolIndex index = FindSame(*thread, range);
  if (index != 0) {
    if (nodes_[index].range.end == 0 && range.end != 0) Complete(*thread, index, range);
  } else {
    index = nodes_.Take();
    if (index == 0) {
      Forget(settled_);
      index = nodes_.Take();
    }
    if (index == 0) {
      losses_->Add(base::Loss::kRangeTableFull);
      return 0;
    }
    nodes_[index].range = range;
    Link(*thread, index);
  }
  return index;
}

void ThreadRanges::Complete(Thread& thread, PoolIndex index, const IterationRange& range) {
  Unlink(thread, index);
  const bool held = nodes_[index].held;
  nodes_[index] = {};
  nodes_[index].range = range;
  nodes_[index].held = held;
  Link(thread, index);
}

bool ThreadRanges::Before(const IterationRange& a, const IterationRange& b) {
  if (a.start != b.start) return a.start < b.start;
  if (EndOf(a) != EndOf(b)) return EndOf(a) > EndOf(b);
  return a.name < b.name;
}

void ThreadRanges::Link(Thread& thread, PoolIndex index) {
  PoolIndex after = thread.tail;
  while (after != 0 && Before(nodes_[index].range, nodes_[after].range)) after = nodes_[after].prev;
  const PoolIndex next = after == 0 ? thread.head : nodes_[after].next;
  nodes_[index].prev = after;
  nodes_[index].next = next;
  (after == 0 ? thread.head : nodes_[after].next) = index;
  (next == 0 ? thread.tail : nodes_[next].prev) = index;
}

void ThreadRanges::Unlink(Thread& thread, PoolIndex index) {
  const PoolIndex next = nodes_[index].next, prev = nodes_[index].prev;
  (prev == 0 ? thread.head : nodes_[prev].next) = next;
  (next == 0 ? thread.tail : nodes_[next].prev) = prev;
  if (thread.cursor == index) thread.cursor = prev;
}

PoolIndex ThreadRanges::FindSame(const Thread& thread, const IterationRange& range) const {
  for (PoolIndex i = thread.tail; i != 0 && nodes_[i].range.start >= range.start; i = nodes_[i].prev) {
    const IterationRange& other = nodes_[i].range;
    const bool same = other.start == range.start && other.name == range.name;
    if (same && (other.end == 0 || range.end == 0 || other.end == range.end)) return i;
  }
  return 0;
}

PoolIndex ThreadRanges::LastFrom(Thread& thread, TimeNs at) {
  PoolIndex i = thread.cursor == 0 ? thread.tail : thread.cursor;
  while (i != 0 && nodes_[i].range.start > at) i = nodes_[i].prev;
  if (i == 0) {
    thread.cursor = thread.head;
    return 0;
  }
  while (nodes_[i].next != 0 && nodes_[nodes_[i].next].range.start <= at) i = nodes_[i].next;
  thread.cursor = i;
  return i;
}

RangeAnswer ThreadRanges::Find(uint64_t thread_key, TimeNs at, TimeNs settled, TimeNs trusted) {
  RangeAnswer answer;
  Thread* thread = threads_.Find(thread_key);
  if (thread != nullptr) {
    const PoolIndex from = LastFrom(*thread, at);
    answer = Climb(from, at, trusted);
    if (from != 0 && nodes_[from].next != 0) {
      answer.until = std::min(answer.until, nodes_[nodes_[from].next].range.start);
    }
    if (answer.verdict == RangeAnswer::kNobody && !IterBeganAfter(*thread, from, settled)) {
      answer.verdict = RangeAnswer::kUnknown;
    }
  }
  if (answer.verdict == RangeAnswer::kUnknown && settled == kForever) answer.verdict = RangeAnswer::kNobody;
  return answer;
}

bool ThreadRanges::IterBeganAfter(const Thread& thread, PoolIndex from, TimeNs settled) const {
  for (PoolIndex i = from == 0 ? thread.head : nodes_[from].next; i != 0; i = nodes_[i].next) {
    const IterationRange& range = nodes_[i].range;
    if (range.start > settled) return false;
    if (range.name == record::AnnotationName::kIter && range.end != 0) return true;
  }
  return false;
}

RangeAnswer ThreadRanges::FindAround(PoolIndex range, TimeNs settled) const {
  const Node& node = nodes_[range];
  RangeAnswer answer = Climb(node.prev, EndOf(node.range), settled);
  if (answer.verdict == RangeAnswer::kNobody && settled != kForever) answer.verdict = RangeAnswer::kUnknown;
  return answer;
}

// `kNobody` here: no range that is known covers it.
RangeAnswer ThreadRanges::Climb(PoolIndex from, TimeNs until, TimeNs settled) const {
  RangeAnswer answer{.verdict = RangeAnswer::kNobody, .in_sample = false, .key = {}, .until = kForever};
  int steps = 0;
  for (PoolIndex i = from; i != 0 && steps < kMostSteps; i = nodes_[i].prev, ++steps) {
    const IterationRange& range = nodes_[i].range;
    if (EndOf(range) < until) {
      if (range.name == record::AnnotationName::kIter) break;  // `iter` does not nest: nothing before it covers this
      continue;
    }
    if (EndOf(range) > settled) {  // one inside it may be missing yet
      answer.verdict = RangeAnswer::kUnknown;
      return answer;
    }
    answer.in_sample = answer.in_sample || range.name == record::AnnotationName::kIterSample;
    answer.verdict = range.keyed ? RangeAnswer::kFound : RangeAnswer::kUnknown;
    answer.key = range.key;
    answer.until = std::min(answer.until, EndOf(range));
    if (range.keyed) return answer;
  }
  return answer;
}

void ThreadRanges::Prune(TimeNs before, TimeNs settled) {
  settled_ = settled;
  Forget(before);
  if (nodes_.in_use() > nodes_.capacity() / 2) Forget(settled);
}

void ThreadRanges::Forget(TimeNs before) {
  threads_.ForEach([&](uint64_t, Thread& thread) {
    PoolIndex i = thread.head;
    // By start: the first that is too young in start ends the walk.
    while (i != 0 && nodes_[i].range.start < before) {
      const PoolIndex next = nodes_[i].next;
      if (nodes_[i].range.end != 0 && nodes_[i].range.end < before && !nodes_[i].held) {
        Unlink(thread, i);
        nodes_.Give(i);
      }
      i = next;
    }
  });
}

}  // namespace slowtoken::attribution
