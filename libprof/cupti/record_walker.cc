#include "cupti/record_walker.h"

namespace slowtoken::cupti {
namespace {

template <typename Record>
const Record& As(const CUpti_Activity* record) {
  return *reinterpret_cast<const Record*>(record);
}

void DecodeRecord(const CUpti_Activity* r, DecodeState& state, capture::CollectContext& context) {
  switch (r->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return Decode(As<KernelRecord>(r), state, context);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return Decode(As<ApiRecord>(r), state, context);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return Decode(As<MemcpyRecord>(r), state, context);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return Decode(As<MemcpyPeerRecord>(r), state, context);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return Decode(As<MemsetRecord>(r), state, context);
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return Decode(As<GraphRecord>(r), state, context);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return Decode(As<SyncRecord>(r), state, context);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return Decode(As<OverheadRecord>(r), state, context);
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return Decode(As<DeviceRecord>(r), state, context);
    case CUPTI_ACTIVITY_KIND_CONTEXT:
      return Decode(As<ContextRecord>(r), state, context);
    case CUPTI_ACTIVITY_KIND_STREAM:
      return Decode(As<StreamRecord>(r), state, context);
    default:
      context.losses.Add(base::Loss::kUnknownRecordKind);
  }
}

}  // namespace

void DecodeBuffer(const BufferPool::Buffer& buffer, DecodeState& state, capture::CollectContext& context) {
  if (buffer.bytes == 0 || state.api.get_next_record == nullptr) return;
  CUpti_Activity* record = nullptr;
  CUptiResult result = CUPTI_SUCCESS;
  while ((result = state.api.get_next_record(buffer.data, buffer.bytes, &record)) == CUPTI_SUCCESS) {
    DecodeRecord(record, state, context);
  }
  // MAX_LIMIT_REACHED is the end; INVALID_KIND a record CUPTI had not finished (cupti_activity.h:7586).
  if (result == CUPTI_ERROR_INVALID_KIND) {
    context.losses.Add(base::Loss::kUnfinishedRecord);
  } else if (result != CUPTI_ERROR_MAX_LIMIT_REACHED) {
    context.losses.Add(base::Loss::kFaultedCall);
  }
}

}  // namespace slowtoken::cupti
