#include "attribution/host_work.h"

namespace slowtoken::attribution {

bool HostWork::Init(base::Arena& arena, uint32_t capacity, base::LossCounters& losses) {
  losses_ = &losses;
  items_ = arena.AllocateArray<Item>(capacity);
  return !items_.empty();
}

void HostWork::Add(const record::Annotation& annotation) {
  if (annotation.end == 0) return;  // still open: it comes again when it is complete
  if (count_ == items_.size()) {
    losses_->Add(base::Loss::kRangeTableFull, items_.size() / 4);
    DropFirst(items_.size() / 4);
  }
  Item item{ThreadKey(annotation.process, annotation.thread), annotation.start, annotation.end, record::GapPhase::kKv};
  if (annotation.name == record::AnnotationName::kJit) item.phase = record::GapPhase::kJit;
  if (annotation.name == record::AnnotationName::kGc) item.phase = record::GapPhase::kGc;
  size_t at = count_++;
  for (; at > 0 && items_[at - 1].end > item.end; --at) items_[at] = items_[at - 1];
  items_[at] = item;
}

void HostWork::Prune(TimeNs before) {
  size_t old = 0;
  while (old < count_ && items_[old].end < before) ++old;
  DropFirst(old);
}

void HostWork::DropFirst(size_t dropped) {
  if (dropped == 0) return;
  std::copy(items_.begin() + static_cast<ptrdiff_t>(dropped), items_.begin() + static_cast<ptrdiff_t>(count_),
            items_.begin());
  count_ -= dropped;
}

}  // namespace slowtoken::attribution
