// Streams, cross-stream waits, host functions.
#include "simgpu/core/stream.h"

#include "simgpu/core/capture.h"
#include "simgpu/core/clock.h"
#include "simgpu/core/event.h"
#include "simgpu/core/records.h"
#include "simgpu/core/timeline.h"
#include "simgpu/core/work_item.h"
#include "simgpu/driver/driver_scope.h"

namespace simgpu {
namespace {

CUresult Create(CUstream* out, unsigned flags, int priority) {
  Context* context = CurrentContext();
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (out == nullptr || flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
  *out = reinterpret_cast<CUstream>(CreateStream(context, flags, priority));
  return CUDA_SUCCESS;
}

void EmitWait(Stream* stream, const Event* event) {
  if (!Wanted(SIMGPU_WANT_SYNC)) return;
  EmitSynchronization(stream, kSyncStreamWait, NowNs(), event);
}

void TellSynchronized(Stream* stream) {
  ResourceEvent event(SIMGPU_STREAM_SYNCHRONIZED, stream->context);
  event.stream = reinterpret_cast<CUstream_st*>(StreamHandle(stream));
  event.stream_id = stream->id;
  event.Send();
}

}  // namespace

SIMGPU_DRIVER(cuStreamCreate)(CUstream* out, unsigned flags) { return Create(out, flags, 0); }
SIMGPU_DRIVER(cuStreamCreateWithPriority)(CUstream* out, unsigned flags, int priority) {
  return Create(out, flags, priority);
}

SIMGPU_DRIVER(cuStreamDestroy_v2)(CUstream handle) {
  Stream* stream = StreamOf(handle);
  if (stream == nullptr) return BadStream();
  return DestroyStream(stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

SIMGPU_DRIVER(cuStreamGetPriority)(CUstream handle, int* priority) {
  Stream* stream = StreamOf(handle);
  if (stream == nullptr) return BadStream();
  *priority = stream->priority;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuStreamGetFlags)(CUstream handle, unsigned* flags) {
  Stream* stream = StreamOf(handle);
  if (stream == nullptr) return BadStream();
  *flags = stream->flags;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuStreamGetId)(CUstream handle, unsigned long long* id) {
  Stream* stream = StreamOf(handle);
  if (stream == nullptr) return BadStream();
  *id = stream->id;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuStreamGetCtx)(CUstream handle, CUcontext* context) {
  Stream* stream = StreamOf(handle);
  if (stream == nullptr) return BadStream();
  *context = ContextHandle(stream->context);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuStreamGetDevice)(CUstream handle, CUdevice* device) {
  Stream* stream = StreamOf(handle);
  if (stream == nullptr) return BadStream();
  *device = stream->context->device;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuStreamWaitEvent)(CUstream handle, CUevent event_handle, unsigned flags) {
  Stream* stream = StreamOf(handle);
  Event* event = EventFrom(event_handle);
  if (stream == nullptr) return BadStream();
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (flags == CU_EVENT_WAIT_EXTERNAL && stream->capturing.load()) {
    WorkItem item;
    item.kind = WorkKind::kEventWait;
    item.event = event;
    return CaptureNode(stream, std::move(item), nullptr);
  }
  if (stream->capturing.load() || RecordedInCapture(event)) return CaptureEventWait(stream, event);
  EmitWait(stream, event);
  std::shared_ptr<EventPoint> point = event->Point();
  if (!point) return CUDA_SUCCESS;
  Op op;
  op.dependencies.push_back({point->stream, point->sequence});
  TheTimeline().Submit(stream, std::move(op));
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuStreamSynchronize)(CUstream handle) {
  Stream* stream = StreamOf(handle);
  if (stream == nullptr) return BadStream();
  if (stream->capturing.load()) return InvalidateCapture(stream);
  if (const CUresult refused = CheckImplicitCapture(stream); refused != CUDA_SUCCESS) return refused;
  const uint64_t start = NowNs();
  if (stream->legacy) {
    // Synchronising the legacy stream waits for what it would wait for: all blocking streams.
    TheTimeline().Submit(stream, Op{});
  }
  TheTimeline().WaitAll(stream);
  if (Wanted(SIMGPU_WANT_SYNC)) EmitSynchronization(stream, kSyncStream, start);
  TellSynchronized(stream);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuStreamQuery)(CUstream handle) {
  Stream* stream = StreamOf(handle);
  if (stream == nullptr) return BadStream();
  if (stream->capturing.load()) return InvalidateCapture(stream);
  return TheTimeline().IsIdle(stream) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

SIMGPU_DRIVER(cuLaunchHostFunc)(CUstream handle, CUhostFn function, void* data) {
  Stream* stream = StreamOf(handle);
  if (stream == nullptr) return BadStream();
  if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  WorkItem item;
  item.kind = WorkKind::kHost;
  item.host.function = function;
  item.host.data = data;
  return Dispatch(stream, std::move(item));
}

SIMGPU_DRIVER(cuStreamAddCallback)(CUstream handle, CUstreamCallback callback, void* data, unsigned flags) {
  Stream* stream = StreamOf(handle);
  if (stream == nullptr) return BadStream();
  if (callback == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (stream->capturing.load()) return InvalidateCapture(stream);
  WorkItem item;
  item.kind = WorkKind::kHost;
  item.host.callback = callback;
  item.host.data = data;
  item.host.stream = handle;
  return Dispatch(stream, std::move(item));
}

}  // namespace simgpu
