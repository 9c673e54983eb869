// Stream calls beyond the everyday ones: memory writes, attributes, older query forms.
#include <cstring>

#include "simgpu/core/capture.h"
#include "simgpu/core/work_item.h"
#include "simgpu/driver/driver_scope.h"

namespace simgpu {
namespace {

// A write is a set of one element: it keeps the stream's order and makes the value visible when its time comes.
CUresult Write(CUstream handle, CUdeviceptr address, uint64_t value, uint32_t bytes) {
  Stream* stream = StreamOf(handle);
  if (stream == nullptr) return BadStream();
  const uint32_t words[] = {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)};
  for (uint32_t i = 0; i < bytes / 4; ++i) {
    WorkItem item;
    item.kind = WorkKind::kSet;
    item.set.destination = address + 4 * i;
    item.set.value = words[i];
    item.set.element = 4;
    item.set.width = 1;
    if (const CUresult bad = Dispatch(stream, std::move(item)); bad != CUDA_SUCCESS) return bad;
  }
  return CUDA_SUCCESS;
}

}  // namespace

SIMGPU_DRIVER(cuStreamWriteValue32_v2)(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned) {
  return Write(stream, address, value, 4);
}

SIMGPU_DRIVER(cuStreamWriteValue64_v2)(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned) {
  return Write(stream, address, value, 8);
}

SIMGPU_DRIVER(cuStreamAttachMemAsync)(CUstream handle, CUdeviceptr, size_t, unsigned) {
  return StreamOf(handle) != nullptr ? CUDA_SUCCESS : BadStream();
}

SIMGPU_DRIVER(cuStreamGetAttribute)(CUstream handle, CUstreamAttrID attribute, CUstreamAttrValue* value) {
  Stream* stream = StreamOf(handle);
  if (stream == nullptr) return BadStream();
  std::memset(value, 0, sizeof(*value));
  if (attribute == CU_STREAM_ATTRIBUTE_PRIORITY) value->priority = stream->priority;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuStreamSetAttribute)(CUstream handle, CUstreamAttrID attribute, const CUstreamAttrValue* value) {
  Stream* stream = StreamOf(handle);
  if (stream == nullptr) return BadStream();
  if (attribute == CU_STREAM_ATTRIBUTE_PRIORITY) stream->priority = value->priority;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuStreamCopyAttributes)(CUstream to, CUstream from) {
  return StreamOf(to) != nullptr && StreamOf(from) != nullptr ? CUDA_SUCCESS : BadStream();
}

SIMGPU_DRIVER(cuStreamGetCaptureInfo)(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id) {
  Stream* stream = StreamOf(handle);
  if (stream == nullptr) return BadStream();
  Capture capture;
  *status = CaptureStatus(stream, &capture, nullptr);
  if (id != nullptr && *status == CU_STREAM_CAPTURE_STATUS_ACTIVE) *id = capture.id;
  return CUDA_SUCCESS;
}

}  // namespace simgpu
