#include "nvtx/open_ranges.h"

namespace slowtoken::nvtx {

using base::PoolIndex;

bool OpenRanges::Init(base::Arena& arena, const Limits& limits, uint32_t slots) {
  tops_ = arena.AllocateArray<PoolIndex>(slots);
  return !tops_.empty() && ranges_.Init(arena, limits.ranges) && annotations_.Init(arena, limits.annotations) &&
         field_lists_.Init(arena, limits.field_lists) && started_.Init(arena, limits.ranges) &&
         pending_.Init(arena, limits.pending_ends);
}

size_t OpenRanges::MemoryNeeded(const Limits& limits, uint32_t slots) {
  constexpr size_t kLink = 8;  // what a pool or map keeps beside each value
  return slots * sizeof(PoolIndex) + (limits.ranges + 1) * (sizeof(OpenRange) + kLink) +
         (limits.annotations + 1) * (sizeof(record::Annotation) + kLink) +
         (limits.field_lists + 1) * (sizeof(FieldList) + kLink) +
         std::bit_ceil(size_t{limits.ranges} * 2) * (2 * sizeof(uint64_t)) +
         std::bit_ceil(size_t{limits.pending_ends} * 2) * (sizeof(uint64_t) + sizeof(PendingEnd) + kLink);
}

void OpenRanges::Give(PoolIndex range) {
  const OpenRange& gone = ranges_[range];
  if (gone.annotation != 0) annotations_.Give(gone.annotation);
  if (gone.fields != 0) field_lists_.Give(gone.fields);
  ranges_.Give(range);
}

void OpenRanges::Push(uint32_t slot, PoolIndex range) {
  ranges_[range].below = tops_[slot];
  tops_[slot] = range;
}

PoolIndex OpenRanges::PopInDomain(uint32_t slot, uint16_t domain, uint16_t level) {
  PoolIndex* link = &tops_[slot];
  while (*link != 0 && ranges_[*link].domain != domain) link = &ranges_[*link].below;
  const PoolIndex found = *link;
  if (found == 0 || ranges_[found].level < level) return 0;
  *link = ranges_[found].below;
  return found;
}

PoolIndex OpenRanges::PopAny(uint32_t slot) {
  const PoolIndex top = tops_[slot];
  if (top != 0) tops_[slot] = ranges_[top].below;
  return top;
}

bool OpenRanges::Start(uint64_t id, PoolIndex range) {
  PoolIndex* slot = started_.FindOrInsert(id);
  if (slot == nullptr) return false;
  *slot = range;
  return true;
}

PoolIndex OpenRanges::End(uint64_t id) {
  const PoolIndex* slot = started_.Find(id);
  if (slot == nullptr) return 0;
  const PoolIndex range = *slot;
  started_.Erase(id);
  return range;
}

bool OpenRanges::AddPending(uint64_t id, const PendingEnd& end) {
  PendingEnd* slot = pending_.FindOrInsert(id);
  if (slot == nullptr) return false;
  *slot = end;
  return true;
}

bool OpenRanges::TakePending(uint64_t id, PendingEnd& end) {
  const PendingEnd* slot = pending_.Find(id);
  if (slot == nullptr) return false;
  end = *slot;
  pending_.Erase(id);
  return true;
}

uint64_t OpenRanges::ExpirePending(uint32_t round) {
  uint64_t gone = 0;
  pending_.EraseIf([&](uint64_t, const PendingEnd& end) {
    const bool old = end.round < round;
    gone += old;
    return old;
  });
  return gone;
}

}  // namespace slowtoken::nvtx
