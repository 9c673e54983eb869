// The exported Activity API: kinds, buffers, flush. Each function's rules are those of cupti_activity.h at its
// declaration.
#include <cupti.h>

#include <cstring>

#include "simgpu/cupti/clock.h"
#include "simgpu/cupti/collection.h"
#include "simgpu/cupti/delivery_lock.h"
#include "simgpu/cupti/engine.h"
#include "simgpu/cupti/entry.h"
#include "simgpu/cupti/faults.h"
#include "simgpu/cupti/recorder.h"
#include "simgpu/cupti/records.h"
#include "simgpu/cupti/resources.h"

using namespace simgpu::cupti;  // NOLINT: this file is nothing but the C surface of that namespace

namespace {

constexpr uint32_t kControl = kNeedsDriver | kNotInBufferCallback | kGlobalActivity;

CUptiResult ForContext(const char* function, CUcontext context, CUpti_ActivityKind kind, bool enable) {
  const DeliveryLock lock(function);
  const uint32_t context_id = context != nullptr ? Engine()->context_id(context) : 0;
  if (context_id == 0) return CUPTI_ERROR_INVALID_CONTEXT;
  return EnableKindForContext(context_id, kind, enable);
}

}  // namespace

extern "C" {

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  SIMCUPTI_ENTER(cuptiActivityRegisterCallbacks, kNotInBufferCallback | kGlobalActivity);
  if (request == nullptr || complete == nullptr) return Done(CUPTI_ERROR_INVALID_PARAMETER);
  const DeliveryLock lock("cuptiActivityRegisterCallbacks");
  TheRecorder().SetCallbacks(request, complete);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  SIMCUPTI_ENTER(cuptiActivityEnable, kControl);
  const DeliveryLock lock("cuptiActivityEnable");
  return Done(EnableKind(kind, true));
}

CUptiResult cuptiActivityEnableAndDump(CUpti_ActivityKind kind) {
  SIMCUPTI_ENTER(cuptiActivityEnableAndDump, kControl);
  {
    const DeliveryLock lock("cuptiActivityEnableAndDump");
    if (const CUptiResult result = EnableKind(kind, true); result != CUPTI_SUCCESS) return Done(result);
  }
  if (!TheRecorder().has_callbacks()) return Done(CUPTI_ERROR_UNKNOWN);
  DumpExisting(kind);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  SIMCUPTI_ENTER(cuptiActivityDisable, kControl);
  const DeliveryLock lock("cuptiActivityDisable");
  return Done(EnableKind(kind, false));
}

CUptiResult cuptiActivityEnableContext(CUcontext context, CUpti_ActivityKind kind) {
  SIMCUPTI_ENTER(cuptiActivityEnableContext, kControl);
  return Done(ForContext("cuptiActivityEnableContext", context, kind, true));
}

CUptiResult cuptiActivityDisableContext(CUcontext context, CUpti_ActivityKind kind) {
  SIMCUPTI_ENTER(cuptiActivityDisableContext, kControl);
  return Done(ForContext("cuptiActivityDisableContext", context, kind, false));
}

CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId cbid, uint8_t enable) {
  SIMCUPTI_ENTER(cuptiActivityEnableDriverApi, kControl);
  const DeliveryLock lock("cuptiActivityEnableDriverApi");
  return Done(EnableApi(CUPTI_CB_DOMAIN_DRIVER_API, cbid, enable != 0));
}

CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId cbid, uint8_t enable) {
  SIMCUPTI_ENTER(cuptiActivityEnableRuntimeApi, kControl);
  const DeliveryLock lock("cuptiActivityEnableRuntimeApi");
  return Done(EnableApi(CUPTI_CB_DOMAIN_RUNTIME_API, cbid, enable != 0));
}

CUptiResult cuptiActivityFlushAll(uint32_t flag) {
  SIMCUPTI_ENTER(cuptiActivityFlushAll, kControl);
  if (!TheRecorder().has_callbacks()) return Done(CUPTI_ERROR_INVALID_OPERATION);
  TheRecorder().Flush((flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) != 0 ? FlushMode::kForced : FlushMode::kComplete);
  return CUPTI_SUCCESS;
}

// Deprecated: context and stream are ignored.
CUptiResult cuptiActivityFlush(CUcontext, uint32_t, uint32_t flag) {
  SIMCUPTI_ENTER(cuptiActivityFlush, kControl);
  return cuptiActivityFlushAll(flag);
}

CUptiResult cuptiActivityFlushPeriod(uint32_t milliseconds) {
  SIMCUPTI_ENTER(cuptiActivityFlushPeriod, kControl);
  TheRecorder().SetFlushPeriod(milliseconds);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t, size_t* dropped) {
  SIMCUPTI_ENTER(cuptiActivityGetNumDroppedRecords, kNeedsNothing);
  if (dropped == nullptr) return Done(CUPTI_ERROR_INVALID_PARAMETER);
  if (SubscribedV2() && (Faults().mix_refused & 1u) != 0) return Done(CUPTI_ERROR_NOT_COMPATIBLE);
  const DeliveryLock lock("cuptiActivityGetNumDroppedRecords");
  // All buffers are global since CUDA 6.0: a context's own queue never drops.
  *dropped = context == nullptr ? TheRecorder().TakeDropped() : 0;
  return CUPTI_SUCCESS;
}

// Results and the untouched `record` on error are those the 13.0 library gives.
CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid_bytes, CUpti_Activity** record) {
  SIMCUPTI_ENTER(cuptiActivityGetNextRecord, kHarmless);
  if (buffer == nullptr || record == nullptr) return Done(CUPTI_ERROR_INVALID_PARAMETER);
  size_t offset = 0;
  if (*record != nullptr) {
    const size_t size = RecordSize(KindOf(*record));
    if (size == 0) return Done(CUPTI_ERROR_INVALID_KIND);
    offset = static_cast<size_t>(reinterpret_cast<uint8_t*>(*record) - buffer) + size;
  }
  if (offset + sizeof(uint32_t) > valid_bytes) return Done(CUPTI_ERROR_MAX_LIMIT_REACHED);
  const size_t size = RecordSize(KindOf(buffer + offset));
  if (size == 0) return Done(CUPTI_ERROR_INVALID_KIND);
  if (offset + size > valid_bytes) return Done(CUPTI_ERROR_MAX_LIMIT_REACHED);
  *record = reinterpret_cast<CUpti_Activity*>(buffer + offset);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetTimestamp(uint64_t* timestamp) {
  SIMCUPTI_ENTER(cuptiGetTimestamp, kHarmless);
  if (timestamp == nullptr) return Done(CUPTI_ERROR_INVALID_PARAMETER);
  *timestamp = NowCupti();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc function) {
  SIMCUPTI_ENTER(cuptiActivityRegisterTimestampCallback, kControl);
  if (function == nullptr) return Done(CUPTI_ERROR_INVALID_PARAMETER);
  if (SubscribedV2() && (Faults().mix_refused & 2u) != 0) return Done(CUPTI_ERROR_NOT_COMPATIBLE);
  SetTimestampCallback(function);
  return CUPTI_SUCCESS;
}

}  // extern "C"
