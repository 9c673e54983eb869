#include "import/gpu_names.h"

namespace slowtoken::importing {
namespace {

using record::CopyKind;
using record::MemoryKind;
using record::OverheadKind;
using record::SyncKind;

template <typename Value>
struct Name {
  std::string_view text;
  Value value;
};

template <typename Value, size_t N>
Value ValueOf(const Name<Value> (&names)[N], std::string_view text) {
  for (const Name<Value>& name : names) {
    if (name.text == text) return name.value;
  }
  return Value{};
}

// libkineto/src/cupti_strings.cpp.
constexpr Name<CopyKind> kCopyKinds[] = {
    {"HtoD", CopyKind::kHtoD}, {"DtoH", CopyKind::kDtoH}, {"DtoD", CopyKind::kDtoD}, {"HtoH", CopyKind::kHtoH},
    {"PtoP", CopyKind::kPtoP}, {"HtoA", CopyKind::kHtoA}, {"AtoH", CopyKind::kAtoH}, {"AtoA", CopyKind::kAtoA},
    {"AtoD", CopyKind::kAtoD}, {"DtoA", CopyKind::kDtoA}};
// "Host" is ROCm's: it does not say which kind.
constexpr Name<MemoryKind> kMemoryKinds[] = {{"Pageable", MemoryKind::kPageable},
                                             {"Pinned", MemoryKind::kPinned},
                                             {"Device", MemoryKind::kDevice},
                                             {"Array", MemoryKind::kArray},
                                             {"Managed", MemoryKind::kManaged},
                                             {"Device Static", MemoryKind::kDeviceStatic},
                                             {"Managed Static", MemoryKind::kManagedStatic}};
constexpr Name<SyncKind> kSyncKinds[] = {{"Event Sync", SyncKind::kEvent},
                                         {"Event Synchronize", SyncKind::kEvent},
                                         {"Stream Wait Event", SyncKind::kStreamWaitEvent},
                                         {"Stream Sync", SyncKind::kStream},
                                         {"Stream Synchronize", SyncKind::kStream},
                                         {"Context Sync", SyncKind::kContext},
                                         {"Context Synchronize", SyncKind::kContext}};
constexpr Name<OverheadKind> kOverheadKinds[] = {
    {"Driver Compiler", OverheadKind::kDriverCompiler},
    {"Buffer Flush", OverheadKind::kBufferFlush},
    {"Instrumentation", OverheadKind::kInstrumentation},
    {"Resource", OverheadKind::kResource},
    {"Runtime Triggered Module Loading", OverheadKind::kRuntimeLazyLoad},
    {"Lazy Function Loading", OverheadKind::kRuntimeLazyLoad},
    {"Command Buffer Full", OverheadKind::kCommandBufferFull},
    {"Activity Buffer Request", OverheadKind::kOther},
    {"UVM Activity Init", OverheadKind::kOther},
};

std::string_view TakeUntil(std::string_view& text, std::string_view mark) {
  const size_t at = text.find(mark);
  const std::string_view before = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + mark.size());
  return before;
}

}  // namespace

CopyEnds CopyEndsOf(std::string_view name, std::string_view kind) {
  CopyEnds ends;
  TakeUntil(name, "Memcpy ");
  ends.kind = ValueOf(kCopyKinds, TakeUntil(name, " ("));
  if (ends.kind == CopyKind::kUnknown) ends.kind = ValueOf(kCopyKinds, kind);
  ends.src = ValueOf(kMemoryKinds, TakeUntil(name, " -> "));
  ends.dst = ValueOf(kMemoryKinds, TakeUntil(name, ")"));
  return ends;
}

MemoryKind SetMemoryOf(std::string_view name) {
  TakeUntil(name, "(");
  return ValueOf(kMemoryKinds, TakeUntil(name, ")"));
}

SyncKind SyncKindOf(std::string_view name) { return ValueOf(kSyncKinds, name); }

OverheadKind OverheadKindOf(std::string_view name) { return ValueOf(kOverheadKinds, name); }

}  // namespace slowtoken::importing
