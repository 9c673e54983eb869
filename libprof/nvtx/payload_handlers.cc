#include "nvtx/payload_handlers.h"

#include "nvtx/range_calls.h"

namespace slowtoken::nvtx {
namespace {

HostEvent PayloadEvent(const nvtxPayloadData_t* data, size_t count) {
  HostEvent event;
  event.payload = PayloadForm::kExtended;
  event.pieces = data;
  event.piece_count = count;
  return event;
}

int PushPayload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* data, size_t count) {
  HostCall call;
  if (!call.recording()) return PushUnrecorded(call, DomainOf(domain));
  return Push(call, DomainOf(domain), PayloadEvent(data, count));
}

int PopPayload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* data, size_t count) {
  HostCall call;
  if (!call.has_thread()) return NVTX_NO_PUSH_POP_TRACKING;
  const HostEvent event = PayloadEvent(data, count);
  return Pop(call, DomainOf(domain), &event);
}

nvtxRangeId_t StartPayload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* data, size_t count) {
  HostCall call;
  if (!call.recording()) return 0;
  HostEvent event = PayloadEvent(data, count);
  return Start(call, DomainOf(domain), event);
}

void EndPayload(nvtxDomainHandle_t domain, nvtxRangeId_t id, const nvtxPayloadData_t* data, size_t count) {
  if (id == 0) return;
  HostCall call;
  HostEvent event = PayloadEvent(data, count);
  event.detail.id = id;
  End(call, DomainOf(domain), event);
}

void MarkPayload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* data, size_t count) {
  HostCall call;
  if (call.recording()) Mark(call, DomainOf(domain), PayloadEvent(data, count));
}

uint64_t Counted(Recorder& recorder, uint64_t id) {
  if (id == 0) recorder.losses->Add(base::Loss::kNamesFull);
  return id;
}

uint64_t RegisterSchema(nvtxDomainHandle_t domain, const nvtxPayloadSchemaAttr_t* attributes) {
  if (attributes == nullptr) return 0;
  Recorder& recorder = *g_recorder.load(std::memory_order_acquire);
  return Counted(recorder, recorder.names->schemas.Register(DomainOf(domain), *attributes));
}

uint64_t RegisterEnum(nvtxDomainHandle_t domain, const nvtxPayloadEnumAttr_t* attributes) {
  if (attributes == nullptr) return 0;
  Recorder& recorder = *g_recorder.load(std::memory_order_acquire);
  return Counted(recorder, recorder.names->schemas.RegisterEnum(DomainOf(domain), *attributes));
}

uint8_t IsDomainEnabled(nvtxDomainHandle_t) {
  return g_recorder.load(std::memory_order_acquire)->mode.load(std::memory_order_relaxed) == Mode::kRecording;
}

}  // namespace

std::span<const PayloadHandler> PayloadHandlers(std::span<PayloadHandler, 16> room) {
  const PayloadHandler all[] = {
      {NVTX3EXT_CBID_nvtxPayloadSchemaRegister, reinterpret_cast<intptr_t>(RegisterSchema)},
      {NVTX3EXT_CBID_nvtxPayloadEnumRegister, reinterpret_cast<intptr_t>(RegisterEnum)},
      {NVTX3EXT_CBID_nvtxMarkPayload, reinterpret_cast<intptr_t>(MarkPayload)},
      {NVTX3EXT_CBID_nvtxRangePushPayload, reinterpret_cast<intptr_t>(PushPayload)},
      {NVTX3EXT_CBID_nvtxRangePopPayload, reinterpret_cast<intptr_t>(PopPayload)},
      {NVTX3EXT_CBID_nvtxRangeStartPayload, reinterpret_cast<intptr_t>(StartPayload)},
      {NVTX3EXT_CBID_nvtxRangeEndPayload, reinterpret_cast<intptr_t>(EndPayload)},
      {NVTX3EXT_CBID_nvtxDomainIsEnabled, reinterpret_cast<intptr_t>(IsDomainEnabled)},
  };
  size_t count = 0;
  for (const PayloadHandler& handler : all) room[count++] = handler;
  return room.first(count);
}

}  // namespace slowtoken::nvtx
