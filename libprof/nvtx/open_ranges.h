// OpenRanges: the ranges that have begun and not ended, on the worker: one stack of push/pop ranges per slot, one table
// of start/end ranges, and ends that were read before their start (slots are read one after another). Bounded; single
// threaded; all operations are a few ns. What does not fit is refused, and the caller counts.
#pragma once

#include <array>

#include "base/flat_map.h"
#include "base/pool.h"
#include "record/annotation.h"
#include "record/nvtx_events.h"

namespace slowtoken::nvtx {

// The payload fields of one range or mark.
struct FieldList {
  static constexpr size_t kMax = 32;
  std::array<record::PayloadField, kMax> fields{};
  uint32_t count = 0;
};

struct OpenRange {
  record::TimeNs start = 0;
  uint64_t range_id = 0;  // start/end ranges
  record::StringId message = 0;
  uint16_t domain = 0;
  uint16_t level = 0;  // push/pop ranges
  uint32_t category = 0;
  uint32_t color = 0;
  record::ThreadId thread = 0;
  base::PoolIndex below = 0;       // the next one down the same stack
  base::PoolIndex annotation = 0;  // set for the llmserve vocabulary
  base::PoolIndex fields = 0;
  bool by_rule = false;  // the annotation is what a rule made of the text
  bool told = false;     // that it is open
};

// An end whose start has not been read yet.
struct PendingEnd {
  record::TimeNs time = 0;
  record::ThreadId thread = 0;
  uint32_t round = 0;
};

class OpenRanges {
 public:
  struct Limits {
    uint32_t ranges = 4096;
    uint32_t annotations = 4096;
    uint32_t field_lists = 512;
    uint32_t pending_ends = 1024;
  };
  bool Init(base::Arena& arena, const Limits& limits, uint32_t slots);
  static size_t MemoryNeeded(const Limits& limits, uint32_t slots);

  // A new range, or 0. Give frees it and what belongs to it.
  base::PoolIndex Take() { return ranges_.Take(); }
  void Give(base::PoolIndex range);
  OpenRange& operator[](base::PoolIndex range) { return ranges_[range]; }

  // Room that belongs to a range; 0 if there is none.
  base::PoolIndex TakeAnnotation() { return annotations_.Take(); }
  base::PoolIndex TakeFields() { return field_lists_.Take(); }
  record::Annotation& annotation(base::PoolIndex index) { return annotations_[index]; }
  FieldList& fields(base::PoolIndex index) { return field_lists_[index]; }

  void Push(uint32_t slot, base::PoolIndex range);
  // Unlinks and returns the innermost range of `domain` if its level is at least `level`, else 0. Levels above the
  // asked one belong to ranges whose pop was lost.
  base::PoolIndex PopInDomain(uint32_t slot, uint16_t domain, uint16_t level);
  // Unlinks and returns the innermost range of all, or 0.
  base::PoolIndex PopAny(uint32_t slot);

  // False if the table is full.
  bool Start(uint64_t id, base::PoolIndex range);
  // Removes and returns, or 0.
  base::PoolIndex End(uint64_t id);

  bool AddPending(uint64_t id, const PendingEnd& end);
  bool TakePending(uint64_t id, PendingEnd& end);
  // Forgets ends that have waited since before `round`; how many there were.
  uint64_t ExpirePending(uint32_t round);

  // Calls visit(OpenRange&) for the open push/pop ranges of a slot, the innermost first.
  template <typename Visit>
  void ForEachIn(uint32_t slot, Visit visit) {
    for (base::PoolIndex i = tops_[slot]; i != 0; i = ranges_[i].below) visit(ranges_[i]);
  }
  // Calls visit(OpenRange&) for every open range.
  template <typename Visit>
  void ForEach(Visit visit) {
    for (uint32_t slot = 0; slot < tops_.size(); ++slot) ForEachIn(slot, visit);
    started_.ForEach([&](uint64_t, base::PoolIndex& i) { visit(ranges_[i]); });
  }

 private:
  base::Pool<OpenRange> ranges_;
  base::Pool<record::Annotation> annotations_;
  base::Pool<FieldList> field_lists_;
  std::span<base::PoolIndex> tops_;  // by slot
  base::FlatMap<uint64_t, base::PoolIndex> started_;
  base::FlatMap<uint64_t, PendingEnd> pending_;
};

}  // namespace slowtoken::nvtx
