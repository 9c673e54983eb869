// Memory sets. The synchronous forms return before the device is done, as on a real GPU for device memory.
#include "simgpu/core/capture.h"
#include "simgpu/core/work_item.h"
#include "simgpu/driver/driver_scope.h"

namespace simgpu {
namespace {

CUresult Set(CUstream handle, SetWork set) {
  Stream* stream = StreamOf(handle);
  if (stream == nullptr) return BadStream();
  if (uint64_t{set.width} * set.height == 0) return CUDA_SUCCESS;
  const PointerInfo info = Classify(reinterpret_cast<void*>(set.destination));
  const uint64_t bytes = set.height > 1 ? set.pitch * (set.height - 1) + uint64_t{set.width} * set.element
                                        : uint64_t{set.width} * set.element;
  if (info.kind == MemoryKind::kPageable || set.destination - info.base + bytes > info.size)
    return CUDA_ERROR_INVALID_VALUE;
  WorkItem item;
  item.kind = WorkKind::kSet;
  item.set = set;
  return Dispatch(stream, std::move(item));
}

SetWork Make(CUdeviceptr to, uint32_t value, uint32_t element, size_t count, bool asynchronous) {
  SetWork set;
  set.destination = to;
  set.value = value;
  set.element = element;
  set.width = count;
  set.asynchronous = asynchronous;
  return set;
}

SetWork Make2D(CUdeviceptr to, size_t pitch, uint32_t value, uint32_t element, size_t width, size_t height,
               bool asynchronous) {
  SetWork set = Make(to, value, element, width, asynchronous);
  set.height = height;
  set.pitch = pitch;
  return set;
}

}  // namespace

SIMGPU_DRIVER(cuMemsetD8_v2)(CUdeviceptr to, unsigned char value, size_t count) {
  return Set(nullptr, Make(to, value, 1, count, false));
}
SIMGPU_DRIVER(cuMemsetD16_v2)(CUdeviceptr to, unsigned short value, size_t count) {
  return Set(nullptr, Make(to, value, 2, count, false));
}
SIMGPU_DRIVER(cuMemsetD32_v2)(CUdeviceptr to, unsigned value, size_t count) {
  return Set(nullptr, Make(to, value, 4, count, false));
}

SIMGPU_DRIVER(cuMemsetD8Async)(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return Set(stream, Make(to, value, 1, count, true));
}

SIMGPU_DRIVER(cuMemsetD16Async)(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  return Set(stream, Make(to, value, 2, count, true));
}

SIMGPU_DRIVER(cuMemsetD32Async)(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  return Set(stream, Make(to, value, 4, count, true));
}

SIMGPU_DRIVER(cuMemsetD2D8_v2)(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height) {
  return Set(nullptr, Make2D(to, pitch, value, 1, width, height, false));
}

SIMGPU_DRIVER(cuMemsetD2D8Async)
(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height, CUstream stream) {
  return Set(stream, Make2D(to, pitch, value, 1, width, height, true));
}

}  // namespace simgpu
