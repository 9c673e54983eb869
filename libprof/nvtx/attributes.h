// Reading nvtxEventAttributes_t into a HostEvent. Host threads. Engines hand over structs with size 0, and with
// category and payload never initialised: what is read here must hold for any content.
#pragma once

#include "nvtx/event_writer.h"

namespace slowtoken::nvtx {

inline void ReadPayload(HostEvent& event, const nvtxEventAttributes_t& a) {
  if (a.payloadType >= NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 && a.payloadType <= NVTX_PAYLOAD_TYPE_FLOAT) {
    event.payload = static_cast<PayloadForm>(a.payloadType);
    event.value = a.payload.ullValue;
  } else if (a.payloadType == NVTX_PAYLOAD_TYPE_EXT && a.reserved0 > 0) {
    event.payload = PayloadForm::kExtended;
    event.pieces = reinterpret_cast<const nvtxPayloadData_t*>(static_cast<uintptr_t>(a.payload.ullValue));
    event.piece_count = static_cast<size_t>(a.reserved0);
  }
}

// `scratch` must live until the event is written.
[[gnu::always_inline]] inline HostEvent ReadAttributes(HostCall& call, uint16_t domain, const nvtxEventAttributes_t* a,
                                                       RecycledText& scratch) {
  HostEvent event;
  if (a == nullptr || (a->size != 0 && a->size < sizeof(nvtxEventAttributes_t))) return event;
  event.detail.category = a->category;
  if (a->colorType == NVTX_COLOR_ARGB) event.detail.color = a->color;
  switch (a->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      event.message = MeasureBytes(call.recorder(), domain, a->message.ascii);
      break;
    case NVTX_MESSAGE_TYPE_UNICODE:
      event.message = MeasureWide(call.recorder(), domain, a->message.unicode);
      break;
    case NVTX_MESSAGE_TYPE_REGISTERED:
      event.message = MeasureRegistered(call.recorder(), reinterpret_cast<uintptr_t>(a->message.registered), scratch);
      break;
    default:
      break;
  }
  if (a->payloadType != NVTX_PAYLOAD_UNKNOWN) [[unlikely]] {
    ReadPayload(event, *a);
  }
  return event;
}

}  // namespace slowtoken::nvtx
