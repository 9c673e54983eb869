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
  if (kind == EvidenceKind::kGraphBuild && call.end >= call.start) return AddBuild(call);
  if (kind == EvidenceKind::kNone || call.end < call.start || call.end - call.start < kLongCallNs) return;
  Add({ThreadKey(call.process, call.thread), call.start, call.end, 0, kind});
}

void HostWork::Add(const record::Overhead& overhead) {
  const EvidenceKind kind = KindOf(overhead.kind);
  if (kind == EvidenceKind::kNone || overhead.end < overhead.start || overhead.end - overhead.start < kLongCallNs) {
    return;
  }
  Add({ThreadKey(overhead.process, overhead.thread), overhead.start, overhead.end, 0, kind});
}

// Building a graph is many short calls in a row: one item.
void HostWork::AddBuild(const record::ApiCall& call) {
  const uint64_t thread = ThreadKey(call.process, call.thread);
  // Other items of the same time may stand behind it: annotations of a round come before its calls.
  for (size_t i = count_; i > 0 && items_[i - 1].end + kBuildPauseNs >= call.start; --i) {
    HostWorkItem& last = items_[i - 1];
    if (last.kind != EvidenceKind::kGraphBuild || last.thread != thread) continue;
    if (call.start < last.start || call.start > last.end + kBuildPauseNs) continue;
    if (call.end <= last.end) return;
    const HostWorkItem longer{thread, last.start, call.end, 0, EvidenceKind::kGraphBuild};
    std::copy(items_.begin() + static_cast<ptrdiff_t>(i), items_.begin() + static_cast<ptrdiff_t>(count_),
              items_.begin() + static_cast<ptrdiff_t>(i - 1));
    --count_;
    return Add(longer);
  }
  Add({thread, call.start, call.end, 0, EvidenceKind::kGraphBuild});
}

void HostWork::Add(const HostWorkItem& item) {
  if (count_ == items_.size()) {
    losses_->Add(base::Loss::kRangeTableFull, items_.size() / 4);
    DropFirst(items_.size() / 4);
  }
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
