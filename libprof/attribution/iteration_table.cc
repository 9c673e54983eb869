#include "attribution/iteration_table.h"

namespace slowtoken::attribution {

bool IterationTable::Init(base::Arena& arena, uint32_t capacity, IntervalPool& intervals, base::LossCounters& losses) {
  intervals_ = &intervals;
  losses_ = &losses;
  return by_key_.Init(arena, capacity) && pool_.Init(arena, capacity);
}

PoolIndex IterationTable::Find(const record::IterationKey& key) {
  const PoolIndex* found = by_key_.Find(IterationId{key});
  return found == nullptr ? 0 : *found;
}

PoolIndex IterationTable::FindOrAdd(const record::IterationKey& key) {
  if (const PoolIndex found = Find(key); found != 0) return found;
  PoolIndex index = pool_.Take();
  if (index == 0 && RecycleOldest()) index = pool_.Take();
  if (index == 0) {
    losses_->Add(base::Loss::kIterationsEvicted);
    return 0;
  }
  *by_key_.FindOrInsert(IterationId{key}) = index;
  pool_[index].key = key;
  pool_[index].serial = next_serial_++;
  Append(unsealed_, index);
  return index;
}

void IterationTable::MarkSealed(PoolIndex index) {
  Unlink(unsealed_, index);
  Iteration& iteration = pool_[index];
  iteration.sealed = true;
  iteration.latest_gpu_end = iteration.gpu.end;
  if (sealed_.tail != 0) {
    iteration.latest_gpu_end = std::max(iteration.latest_gpu_end, pool_[sealed_.tail].latest_gpu_end);
  }
  Append(sealed_, index);
  if (trim_next_ == 0) trim_next_ = index;
  if (!iteration.has_gpu()) return;
  for (PoolIndex i = iteration.prev; i != 0 && pool_[i].earliest_later_gpu_start > iteration.gpu.start;
       i = pool_[i].prev) {
    pool_[i].earliest_later_gpu_start = iteration.gpu.start;
  }
}

PoolIndex IterationTable::LastSealedBefore(TimeNs to, const Iteration* near) const {
  if (near == nullptr || !near->sealed || near->next == 0) return sealed_.tail;
  PoolIndex last = pool_[near->next].prev;
  while (pool_[last].earliest_later_gpu_start < to) last = pool_[last].next;
  return last;
}

void IterationTable::UpdateUnsealedStarts() {
  unsealed_start_ = unsealed_gpu_start_ = kForever;
  ForEachUnsealed([&](PoolIndex i) {
    const Iteration& iteration = pool_[i];
    unsealed_start_ = std::min(unsealed_start_, iteration.all.start);
    if (iteration.has_gpu()) unsealed_gpu_start_ = std::min(unsealed_gpu_start_, iteration.gpu.start);
  });
}

void IterationTable::TrimIntervals() {
  while (trim_next_ != 0 && intervals_->free_blocks() < intervals_->capacity() / 4) {
    Iteration& iteration = pool_[trim_next_];
    iteration.trimmed = iteration.has_gpu();
    ClearIntervals(iteration);
    trim_next_ = iteration.next;
  }
}

void IterationTable::ClearIntervals(Iteration& iteration) {
  intervals_->Clear(iteration.work);
  intervals_->Clear(iteration.collectives);
  intervals_->Clear(iteration.readback);
}

bool IterationTable::RecycleOldest() {
  const PoolIndex oldest = sealed_.head;
  if (oldest == 0) return false;
  Iteration& iteration = pool_[oldest];
  if (trim_next_ == oldest) trim_next_ = iteration.next;
  Unlink(sealed_, oldest);
  ClearIntervals(iteration);
  by_key_.Erase(IterationId{iteration.key});
  iteration.serial = 0;
  pool_.Give(oldest);
  return true;
}

void IterationTable::Append(List& list, PoolIndex index) {
  pool_[index].next = 0;
  pool_[index].prev = list.tail;
  (list.tail == 0 ? list.head : pool_[list.tail].next) = index;
  list.tail = index;
}

void IterationTable::Unlink(List& list, PoolIndex index) {
  const PoolIndex next = pool_[index].next, prev = pool_[index].prev;
  (prev == 0 ? list.head : pool_[prev].next) = next;
  (next == 0 ? list.tail : pool_[next].prev) = prev;
}

}  // namespace slowtoken::attribution
