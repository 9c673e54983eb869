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
  Iteration* Resolve(IterationRef ref) {
    if (ref.index == 0) return nullptr;
    Iteration& iteration = pool_[ref.index];
    return iteration.serial == ref.serial ? &iteration : nullptr;
  }

  // Makes room for new intervals: the oldest sealed iterations give theirs up until a quarter of the pool is free.
  void TrimIntervals();

  // Moves `index` from the unsealed to the sealed list.
  void MarkSealed(PoolIndex index);

  // visit(PoolIndex) for each unsealed iteration, in order of first mention. The visitor may not seal.
  template <typename Visit>
  void ForEachUnsealed(Visit visit) const {
    for (PoolIndex i = unsealed_.head; i != 0; i = pool_[i].next) visit(i);
  }

  // visit(const Iteration&) for each iteration with GPU work in (from, to), sealed ones newest first. `near`: one that
  // ran at about that time; the walk starts there, however many came after it. nullptr: at the newest.
  template <typename Visit>
  void ForEachOnGpu(TimeNs from, TimeNs to, const Iteration* near, Visit visit) const {
    const auto meets = [&](const Iteration& iteration) { return iteration.gpu.end > from && iteration.gpu.start < to; };
    for (PoolIndex i = LastSealedBefore(to, near); i != 0 && pool_[i].latest_gpu_end > from; i = pool_[i].prev) {
      if (meets(pool_[i])) visit(pool_[i]);
    }
    if (to <= unsealed_gpu_start_) return;
    ForEachUnsealed([&](PoolIndex i) {
      if (meets(pool_[i])) visit(pool_[i]);
    });
  }

  // Looks again where the unsealed iterations start. To be called when their times have changed and before they are
  // asked for: they are many, and of a time that is rarely asked for.
  void UpdateUnsealedStarts();
  // The earliest start of any part of an unsealed iteration.
  TimeNs unsealed_start() const { return unsealed_start_; }

 private:
  struct List {
    PoolIndex head = 0;
    PoolIndex tail = 0;
  };
  // A sealed iteration behind which none has GPU work that starts before `to`.
  PoolIndex LastSealedBefore(TimeNs to, const Iteration* near) const;
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
  TimeNs unsealed_start_ = 0, unsealed_gpu_start_ = 0;
  PoolIndex trim_next_ = 0;  // the oldest sealed iteration that still has its intervals
  uint32_t next_serial_ = 1;
};

}  // namespace slowtoken::attribution
