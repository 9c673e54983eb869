// IterationTable: the iterations of the last seconds, by key, bounded. Those still growing stand in one list, the
// sealed ones (nothing more is expected) in another, oldest first, from which places are taken when the table is full.
// Used by attribution only; single threaded. Lookup is one probe.
#pragma once

#include "attribution/iteration.h"
#include "base/flat_map.h"

namespace slowtoken::attribution {

class IterationTable {
 public:
  bool Init(base::Arena& arena, uint32_t capacity, IntervalPool& intervals, base::LossCounters& losses);

  // The iteration of `key`; made if absent. 0 when the table is full of unsealed iterations.
  PoolIndex FindOrAdd(const record::IterationKey& key);
  PoolIndex Find(const record::IterationKey& key);

  Iteration& operator[](PoolIndex index) { return pool_[index]; }
  const Iteration& operator[](PoolIndex index) const { return pool_[index]; }

  IterationRef RefTo(PoolIndex index) const { return {index, pool_[index].serial}; }
  // The iteration meant by `ref`, or nullptr when its place was used again.
  Iteration* Resolve(IterationRef ref);

  // Makes room for new intervals: the oldest sealed iterations give theirs up until a quarter of the pool is free.
  void TrimIntervals();

  // Moves `index` from the unsealed to the sealed list.
  void MarkSealed(PoolIndex index);

  // visit(PoolIndex) for each unsealed iteration, in order of first mention. The visitor may not seal.
  template <typename Visit>
  void ForEachUnsealed(Visit visit) const {
    for (PoolIndex i = unsealed_.head; i != 0; i = pool_[i].next) visit(i);
  }

  // visit(const Iteration&) for each iteration whose GPU work ends after `from`, sealed ones newest first.
  template <typename Visit>
  void ForEachOnGpuAfter(TimeNs from, Visit visit) const {
    for (PoolIndex i = sealed_.tail; i != 0 && pool_[i].latest_gpu_end > from; i = pool_[i].prev) {
      if (pool_[i].gpu.end > from) visit(pool_[i]);
    }
    for (PoolIndex i = unsealed_.head; i != 0; i = pool_[i].next) {
      if (pool_[i].gpu.end > from) visit(pool_[i]);
    }
  }

 private:
  struct List {
    PoolIndex head = 0;
    PoolIndex tail = 0;
  };
  void Append(List& list, PoolIndex index);
  void Unlink(List& list, PoolIndex index);
  // Frees the oldest sealed iteration; false if there is none.
  bool RecycleOldest();
  void ClearIntervals(Iteration& iteration);

  base::FlatMap<IterationId, PoolIndex> by_key_;
  base::Pool<Iteration> pool_;
  IntervalPool* intervals_ = nullptr;
  base::LossCounters* losses_ = nullptr;
  List unsealed_, sealed_;
  PoolIndex trim_next_ = 0;  // the oldest sealed iteration that still has its intervals
  uint32_t next_serial_ = 1;
};

}  // namespace slowtoken::attribution
