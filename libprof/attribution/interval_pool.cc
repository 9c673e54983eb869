#include "attribution/interval_pool.h"

#include <algorithm>

namespace slowtoken::attribution {

bool IntervalPool::Init(base::Arena& arena, uint32_t blocks, uint32_t scratch, base::LossCounters& losses) {
  losses_ = &losses;
  scratch_ = arena.AllocateArray<Interval>(scratch);
  return !scratch_.empty() && blocks_.Init(arena, blocks);
}

void IntervalPool::Add(IntervalList& list, Interval piece) {
  const bool touches = !list.empty() && piece.start <= list.last.end && piece.end >= list.last.start;
  if (touches) {
    Widen(list, piece);
  } else {
    AddApart(list, piece);
  }
}

void IntervalPool::AddApart(IntervalList& list, Interval piece) {
  if (list.empty() || Store(list)) {
    list.last = piece;
    return;
  }
  losses_->Add(base::Loss::kIntervalsCoarsened);
  Widen(list, piece);
}

void IntervalPool::Widen(IntervalList& list, Interval piece) {
  list.last.start = std::min(list.last.start, piece.start);
  list.last.end = std::max(list.last.end, piece.end);
}

bool IntervalPool::Store(IntervalList& list) {
  if (list.stored + 2 > scratch_.size() / 2) return false;  // two lists must fit side by side
  if (list.tail == 0 || blocks_[list.tail].count == blocks_[list.tail].items.size()) {
    const base::PoolIndex fresh = blocks_.Take();
    if (fresh == 0) return false;
    (list.tail == 0 ? list.head : blocks_[list.tail].next) = fresh;
    list.tail = fresh;
  }
  Block& block = blocks_[list.tail];
  block.items[block.count++] = list.last;
  ++list.stored;
  return true;
}

void IntervalPool::Clear(IntervalList& list) {
  for (base::PoolIndex i = list.head; i != 0;) {
    const base::PoolIndex next = blocks_[i].next;
    blocks_.Give(i);
    i = next;
  }
  list = {};
}

size_t IntervalPool::MergeScratch(size_t count) {
  if (count == 0) return 0;
  const auto pieces = scratch_.first(count);
  const auto before = [](const Interval& a, const Interval& b) { return a.start < b.start; };
  if (!std::is_sorted(pieces.begin(), pieces.end(), before)) std::sort(pieces.begin(), pieces.end(), before);
  size_t kept = 0;
  for (size_t i = 1; i < count; ++i) {
    if (scratch_[i].start <= scratch_[kept].end) {
      scratch_[kept].end = std::max(scratch_[kept].end, scratch_[i].end);
    } else {
      scratch_[++kept] = scratch_[i];
    }
  }
  return kept + 1;
}

uint64_t IntervalPool::Normalize(IntervalList& list) {
  size_t count = 0;
  ForEach(list, [&](Interval piece) { scratch_[count++] = piece; });
  count = MergeScratch(count);
  Clear(list);
  uint64_t covered = 0;
  for (size_t i = 0; i < count; ++i) {
    covered += scratch_[i].end - scratch_[i].start;
    if (!list.empty()) Store(list);
    list.last = scratch_[i];
  }
  return covered;
}

uint64_t IntervalPool::UnionLength(const IntervalList& a, const IntervalList& b) {
  size_t count = 0;
  ForEach(a, [&](Interval piece) { scratch_[count++] = piece; });
  ForEach(b, [&](Interval piece) { scratch_[count++] = piece; });
  count = MergeScratch(count);
  uint64_t covered = 0;
  for (size_t i = 0; i < count; ++i) covered += scratch_[i].end - scratch_[i].start;
  return covered;
}

}  // namespace slowtoken::attribution
