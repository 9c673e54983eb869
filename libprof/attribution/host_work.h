// HostWork: the kv.*, jit and gc ranges of the last seconds, by thread. Filled from annotations in any order, asked
// once per gap; used by attribution only; single threaded; bounded: the oldest are forgotten first, and counted while
// young.
#pragma once

#include <span>

#include "attribution/iteration.h"
#include "base/loss.h"
#include "record/annotation.h"
#include "record/phases.h"

namespace slowtoken::attribution {

class HostWork {
 public:
  bool Init(base::Arena& arena, uint32_t capacity, base::LossCounters& losses);

  void Add(const record::Annotation& annotation);

  // visit(thread key, record::GapPhase, start, end) for every range that ends after `from`.
  template <typename Visit>
  void ForEachAfter(TimeNs from, Visit visit) const {
    for (size_t i = count_; i > 0 && items_[i - 1].end > from; --i) {
      visit(items_[i - 1].thread, items_[i - 1].phase, items_[i - 1].start, items_[i - 1].end);
    }
  }

  // Forgets ranges that ended before `before`.
  void Prune(TimeNs before);

 private:
  struct Item {
    uint64_t thread = 0;
    TimeNs start = 0, end = 0;
    record::GapPhase phase = record::GapPhase::kKv;
  };
  void DropFirst(size_t dropped);

  std::span<Item> items_;  // by end
  size_t count_ = 0;
  base::LossCounters* losses_ = nullptr;
};

}  // namespace slowtoken::attribution
