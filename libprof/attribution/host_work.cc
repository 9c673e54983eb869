#include "attribution/host_work.h"

namespace slowtoken::attribution {

using record::EvidenceKind;

namespace {

EvidenceKind KindOf(record::AnnotationName name) {
  using record::AnnotationName;
  switch (name) {
    case AnnotationName::kKvAlloc:
    case AnnotationName::kKvEvict:
    case AnnotationName::kKvSwap:
    case AnnotationName::kKvSend:
    case AnnotationName::kKvRecv:
      return EvidenceKind::kKvWork;
    case AnnotationName::kJit:
      return EvidenceKind::kJit;
    case AnnotationName::kGc:
      return EvidenceKind::kGc;
    case AnnotationName::kAdapterLoad:
    case AnnotationName::kModelLoad:
      return EvidenceKind::kModelLoad;
    case AnnotationName::kReqTokenize:
      return EvidenceKind::kBusyTokenizer;
    default:
      return EvidenceKind::kNone;
  }
}

EvidenceKind KindOf(record::ApiClass api_class) {
  switch (api_class) {
    case record::ApiClass::kMemory:
      return EvidenceKind::kMemoryCall;
    case record::ApiClass::kGraphBuild:
      return EvidenceKind::kGraphBuild;
    case record::ApiClass::kModule:
      return EvidenceKind::kModuleLoad;
    default:
      return EvidenceKind::kNone;
  }
}

// What CUPTI calls its overhead is in part the driver's own work, which would be there without it.
EvidenceKind KindOf(record::OverheadKind kind) {
  switch (kind) {
    case record::OverheadKind::kDriverCompiler:
      return EvidenceKind::kJit;
    case record::OverheadKind::kRuntimeLazyLoad:
      return EvidenceKind::kModuleLoad;
    case record::OverheadKind::kBufferFlush:
    case record::OverheadKind::kInstrumentation:
    case record::OverheadKind::kResource:
      return EvidenceKind::kOwnFlush;
    default:
      return EvidenceKind::kNone;
  }
}

}  // namespace

bool HostWork::Init(base::Arena& arena, uint32_t capacity, base::LossCounters& losses) {
  losses_ = &losses;
  items_ = arena.AllocateArray<HostWorkItem>(capacity);
  return !items_.empty();
}

void HostWork::Add(const record::Annotation& annotation) {
  const EvidenceKind kind = KindOf(annotation.name);
  if (kind == EvidenceKind::kNone) return;
  if (annotation.end == 0) return;  // still open: it comes again when it is complete
  Add({ThreadKey(annotation.process, annotation.thread), annotation.start, annotation.end,
       annotation.Get(record::AnnotationField::kReqId), kind});
}

void HostWork::Add(const record::ApiCall& call) {
  const EvidenceKind kind = call.captured ? EvidenceKind::kGraphBuild : KindOf(call.api_class);
  AddCall(ThreadKey(call.process, call.thread), kind, call.start, call.end);
}

void HostWork::Add(const record::Overhead& overhead) {
  AddCall(ThreadKey(overhead.process, overhead.thread), KindOf(overhead.kind), overhead.start, overhead.end);
}

void HostWork::AddCall(uint64_t thread, EvidenceKind kind, TimeNs start, TimeNs end) {
  if (kind == EvidenceKind::kNone || end < start) return;
  const CallBurst& burst = bursts_.Add(thread, kind, start, end);
  if (kind == EvidenceKind::kGraphBuild || burst.busy_ns >= kLongNs) Put(burst);
}

// In the place of what it was with a call less.
void HostWork::Put(const CallBurst& burst) {
  for (size_t i = count_; i > 0 && items_[i - 1].end >= burst.start; --i) {
    const HostWorkItem& last = items_[i - 1];
    if (last.kind != burst.kind || last.thread != burst.thread || last.start > burst.end) continue;
    Remove(i - 1);
    break;
  }
  Add({burst.thread, burst.start, burst.end, 0, burst.kind, burst.calls});
}

void HostWork::Remove(size_t at) {
  std::copy(items_.begin() + static_cast<ptrdiff_t>(at) + 1, items_.begin() + static_cast<ptrdiff_t>(count_),
            items_.begin() + static_cast<ptrdiff_t>(at));
  --count_;
}

void HostWork::Add(const HostWorkItem& item) {
  if (count_ == items_.size()) {
    losses_->Add(base::Loss::kRangeTableFull, items_.size() / 4);
    DropFirst(items_.size() / 4);
  }
  size_t at = count_++;
  for (; at > 0 && items_[at - 1].end > item.end; --at) items_[at] = items_[at - 1];
  items_[at] = item;
  if (item.end > item.start) longest_ns_ = std::max(longest_ns_, item.end - item.start);
}

size_t HostWork::FirstEndAfter(TimeNs time) const {
  const auto items = items_.first(count_);
  return static_cast<size_t>(std::upper_bound(items.begin(), items.end(), time,
                                              [](TimeNs t, const HostWorkItem& item) { return t < item.end; }) -
                             items.begin());
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
  longest_ns_ = 0;
  for (const HostWorkItem& item : items_.first(count_)) {
    if (item.end > item.start) longest_ns_ = std::max(longest_ns_, item.end - item.start);
  }
}

}  // namespace slowtoken::attribution
