#include "nvtx/core_handlers.h"

#include "nvtx/attributes.h"
#include "nvtx/naming.h"
#include "nvtx/quick_calls.h"

namespace slowtoken::nvtx {
namespace {

int PushAny(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  HostCall call;
  const uint16_t number = DomainOf(domain);
  if (!call.recording()) return PushUnrecorded(call, number);
  RecycledText scratch;
  return Push(call, number, ReadAttributes(call, number, attributes, scratch));
}

int PopAny(nvtxDomainHandle_t domain) {
  HostCall call;
  return call.has_thread() ? Pop(call, DomainOf(domain), nullptr) : NVTX_NO_PUSH_POP_TRACKING;
}

constexpr auto* PushEx = QuickPush<PushAny>;
constexpr auto* PopIn = QuickPop<PopAny>;

nvtxRangeId_t StartEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  HostCall call;
  if (!call.recording()) return 0;
  RecycledText scratch;
  const uint16_t number = DomainOf(domain);
  HostEvent event = ReadAttributes(call, number, attributes, scratch);
  return Start(call, number, event);
}

void EndIn(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
  if (id == 0) return;
  HostCall call;
  HostEvent event;
  event.detail.id = id;
  End(call, DomainOf(domain), event);
}

void MarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  HostCall call;
  if (!call.recording()) return;
  RecycledText scratch;
  const uint16_t number = DomainOf(domain);
  Mark(call, number, ReadAttributes(call, number, attributes, scratch));
}

// The message alone, in the default domain.
HostEvent TextEvent(HostCall& call, const char* text) {
  HostEvent event;
  event.message = MeasureBytes(call.recorder(), 0, text);
  return event;
}
HostEvent TextEvent(HostCall& call, const wchar_t* text) {
  HostEvent event;
  event.message = MeasureWide(call.recorder(), 0, text);
  return event;
}

template <typename Char>
int PushText(const Char* text) {
  HostCall call;
  if (!call.recording()) return PushUnrecorded(call, 0);
  return Push(call, 0, TextEvent(call, text));
}

template <typename Char>
nvtxRangeId_t StartText(const Char* text) {
  HostCall call;
  if (!call.recording()) return 0;
  HostEvent event = TextEvent(call, text);
  return Start(call, 0, event);
}

template <typename Char>
void MarkText(const Char* text) {
  HostCall call;
  if (call.recording()) Mark(call, 0, TextEvent(call, text));
}

template <typename Char>
void NameCategory(nvtxDomainHandle_t domain, uint32_t category, const Char* name) {
  HostCall call;
  if (!call.listening()) return;
  HostEvent event = TextEvent(call, name);
  event.detail.category = category;
  WriteEvent(call, {Op::kNameCategory, DomainOf(domain), 0, call.recorder().Stamp()}, event);
}

void WriteThreadName(HostCall& call, uint64_t thread, HostEvent event) {
  event.detail = {.id = thread};
  event.payload = PayloadForm::kNone;
  WriteEvent(call, {Op::kNameThread, 0, 0, call.recorder().Stamp()}, event);
}

template <typename Char>
void NameThread(uint32_t thread, const Char* name) {
  HostCall call;
  if (call.listening()) WriteThreadName(call, thread, TextEvent(call, name));
}

// Resources: the names of threads are kept, other resources only get a handle.
nvtxResourceHandle_t CreateResource(nvtxDomainHandle_t, nvtxResourceAttributes_t* a) {
  if (a == nullptr) return nullptr;
  HostCall call;
  if (a->identifierType == NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE && call.listening()) {
    const nvtxEventAttributes_t as_event{.version = NVTX_VERSION,
                                         .size = sizeof(nvtxEventAttributes_t),
                                         .category = 0,
                                         .colorType = 0,
                                         .color = 0,
                                         .payloadType = 0,
                                         .reserved0 = 0,
                                         .payload = {},
                                         .messageType = a->messageType,
                                         .message = a->message};
    RecycledText scratch;
    WriteThreadName(call, a->identifier.ullValue, ReadAttributes(call, 0, &as_event, scratch));
  }
  return reinterpret_cast<nvtxResourceHandle_t>(uintptr_t{1});
}

int PushDefault(const nvtxEventAttributes_t* attributes) { return PushEx(nullptr, attributes); }
int PopDefault() { return PopIn(nullptr); }
nvtxRangeId_t StartDefault(const nvtxEventAttributes_t* attributes) { return StartEx(nullptr, attributes); }
void EndDefault(nvtxRangeId_t id) { EndIn(nullptr, id); }
void MarkDefault(const nvtxEventAttributes_t* attributes) { MarkEx(nullptr, attributes); }
template <typename Char>
void NameDefaultCategory(uint32_t category, const Char* name) {
  NameCategory(nullptr, category, name);
}
void DestroyResource(nvtxResourceHandle_t) {}
// Ids stand in recorded events, and another module may hold the same handle: a domain stays.
void DestroyDomain(nvtxDomainHandle_t) {}
void Initialize(const void*) {}

template <typename Char>
nvtxStringHandle_t RegisterString(nvtxDomainHandle_t domain, const Char* text) {
  return RegisterText(*g_recorder.load(std::memory_order_acquire), DomainOf(domain), text);
}

template <typename Char>
nvtxDomainHandle_t CreateDomain(const Char* name) {
  return OpenDomain(*g_recorder.load(std::memory_order_acquire), name);
}

}  // namespace

void PutCoreHandlers(const ModuleTable& t) {
  t.Put<nvtxMarkEx_impl_fntype>(NVTX_CBID_CORE_MarkEx, MarkDefault);
  t.Put<nvtxMarkA_impl_fntype>(NVTX_CBID_CORE_MarkA, MarkText);
  t.Put<nvtxMarkW_impl_fntype>(NVTX_CBID_CORE_MarkW, MarkText);
  t.Put<nvtxRangeStartEx_impl_fntype>(NVTX_CBID_CORE_RangeStartEx, StartDefault);
  t.Put<nvtxRangeStartA_impl_fntype>(NVTX_CBID_CORE_RangeStartA, StartText);
  t.Put<nvtxRangeStartW_impl_fntype>(NVTX_CBID_CORE_RangeStartW, StartText);
  t.Put<nvtxRangeEnd_impl_fntype>(NVTX_CBID_CORE_RangeEnd, EndDefault);
  t.Put<nvtxRangePushEx_impl_fntype>(NVTX_CBID_CORE_RangePushEx, PushDefault);
  t.Put<nvtxRangePushA_impl_fntype>(NVTX_CBID_CORE_RangePushA, PushText);
  t.Put<nvtxRangePushW_impl_fntype>(NVTX_CBID_CORE_RangePushW, PushText);
  t.Put<nvtxRangePop_impl_fntype>(NVTX_CBID_CORE_RangePop, PopDefault);
  t.Put<nvtxNameCategoryA_impl_fntype>(NVTX_CBID_CORE_NameCategoryA, NameDefaultCategory);
  t.Put<nvtxNameCategoryW_impl_fntype>(NVTX_CBID_CORE_NameCategoryW, NameDefaultCategory);
  t.Put<nvtxNameOsThreadA_impl_fntype>(NVTX_CBID_CORE_NameOsThreadA, NameThread);
  t.Put<nvtxNameOsThreadW_impl_fntype>(NVTX_CBID_CORE_NameOsThreadW, NameThread);
}

void PutCore2Handlers(const ModuleTable& t) {
  t.Put<nvtxDomainMarkEx_impl_fntype>(NVTX_CBID_CORE2_DomainMarkEx, MarkEx);
  t.Put<nvtxDomainRangeStartEx_impl_fntype>(NVTX_CBID_CORE2_DomainRangeStartEx, StartEx);
  t.Put<nvtxDomainRangeEnd_impl_fntype>(NVTX_CBID_CORE2_DomainRangeEnd, EndIn);
  t.Put<nvtxDomainRangePushEx_impl_fntype>(NVTX_CBID_CORE2_DomainRangePushEx, PushEx);
  t.Put<nvtxDomainRangePop_impl_fntype>(NVTX_CBID_CORE2_DomainRangePop, PopIn);
  t.Put<nvtxDomainResourceCreate_impl_fntype>(NVTX_CBID_CORE2_DomainResourceCreate, CreateResource);
  t.Put<nvtxDomainResourceDestroy_impl_fntype>(NVTX_CBID_CORE2_DomainResourceDestroy, DestroyResource);
  t.Put<nvtxDomainNameCategoryA_impl_fntype>(NVTX_CBID_CORE2_DomainNameCategoryA, NameCategory);
  t.Put<nvtxDomainNameCategoryW_impl_fntype>(NVTX_CBID_CORE2_DomainNameCategoryW, NameCategory);
  t.Put<nvtxDomainRegisterStringA_impl_fntype>(NVTX_CBID_CORE2_DomainRegisterStringA, RegisterString);
  t.Put<nvtxDomainRegisterStringW_impl_fntype>(NVTX_CBID_CORE2_DomainRegisterStringW, RegisterString);
  t.Put<nvtxDomainCreateA_impl_fntype>(NVTX_CBID_CORE2_DomainCreateA, CreateDomain);
  t.Put<nvtxDomainCreateW_impl_fntype>(NVTX_CBID_CORE2_DomainCreateW, CreateDomain);
  t.Put<nvtxDomainDestroy_impl_fntype>(NVTX_CBID_CORE2_DomainDestroy, DestroyDomain);
  t.Put<nvtxInitialize_impl_fntype>(NVTX_CBID_CORE2_Initialize, Initialize);
}

}  // namespace slowtoken::nvtx
