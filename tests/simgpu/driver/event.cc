// Events.
#include "simgpu/core/event.h"

#include "simgpu/core/capture.h"
#include "simgpu/core/clock.h"
#include "simgpu/core/records.h"
#include "simgpu/core/timeline.h"
#include "simgpu/driver/driver_scope.h"

namespace simgpu {
namespace {

CUresult Record(CUevent event_handle, CUstream handle, unsigned flags) {
  Stream* stream = StreamOf(handle);
  Event* event = EventFrom(event_handle);
  if (stream == nullptr) return BadStream();
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capturing.load() && flags != CU_EVENT_RECORD_EXTERNAL) return CaptureEventRecord(stream, event);
  WorkItem item;
  item.kind = WorkKind::kEventRecord;
  item.event = event;
  return Dispatch(stream, std::move(item));
}

CUresult Elapsed(float* milliseconds, CUevent begin_handle, CUevent end_handle) {
  Event* begin = EventFrom(begin_handle);
  Event* end = EventFrom(end_handle);
  if (begin == nullptr || end == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (((begin->flags | end->flags) & CU_EVENT_DISABLE_TIMING) != 0) return CUDA_ERROR_INVALID_HANDLE;
  const auto from = begin->Point(), to = end->Point();
  if (!from || !to) return CUDA_ERROR_INVALID_HANDLE;
  TheTimeline().Pump();
  if (!from->done.load() || !to->done.load()) return CUDA_ERROR_NOT_READY;
  const auto difference = static_cast<int64_t>(to->time_ns.load()) - static_cast<int64_t>(from->time_ns.load());
  *milliseconds = static_cast<float>(static_cast<double>(difference) / 1e6);
  return CUDA_SUCCESS;
}

}  // namespace

SIMGPU_DRIVER(cuEventCreate)(CUevent* out, unsigned flags) {
  Context* context = CurrentContext();
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *out = reinterpret_cast<CUevent>(CreateEvent(context, flags));
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuEventDestroy_v2)(CUevent handle) {
  Event* event = EventFrom(handle);
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  DestroyEvent(event);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuEventRecord)(CUevent event, CUstream stream) { return Record(event, stream, 0); }
SIMGPU_DRIVER(cuEventRecordWithFlags)(CUevent event, CUstream stream, unsigned flags) {
  return Record(event, stream, flags);
}

SIMGPU_DRIVER(cuEventQuery)(CUevent handle) {
  Event* event = EventFrom(handle);
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (RecordedInCapture(event)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  const auto point = event->Point();
  if (!point || point->done.load()) return CUDA_SUCCESS;
  TheTimeline().Pump();
  return point->done.load() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

SIMGPU_DRIVER(cuEventSynchronize)(CUevent handle) {
  Event* event = EventFrom(handle);
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (RecordedInCapture(event)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  const uint64_t start = NowNs();
  const auto point = event->Point();
  if (point) TheTimeline().WaitPoint(*point);
  if (Wanted(SIMGPU_WANT_SYNC)) EmitSynchronization(point ? point->stream : nullptr, kSyncEvent, start, event);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuEventElapsedTime)(float* milliseconds, CUevent begin, CUevent end) {
  return Elapsed(milliseconds, begin, end);
}
SIMGPU_DRIVER(cuEventElapsedTime_v2)(float* milliseconds, CUevent begin, CUevent end) {
  return Elapsed(milliseconds, begin, end);
}

}  // namespace simgpu
