// Copies.
#include "simgpu/driver/copy.h"

#include <cstring>

#include "simgpu/core/capture.h"
#include "simgpu/driver/driver_scope.h"
#include "simgpu/driver/graph_params.h"

namespace simgpu {
namespace {

void* Pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

CopyWork Linear(void* destination, const void* source, size_t bytes) {
  CopyWork copy;
  copy.destination = destination;
  copy.source = source;
  copy.width = bytes;
  return copy;
}

WorkItem ItemOf(CopyWork copy) {
  WorkItem item;
  item.kind = WorkKind::kCopy;
  item.copy = std::move(copy);
  return item;
}

// Both ends must be whole: a copy out of an allocation's bounds is an error, not a crash.
bool InBounds(const CopyWork& copy) {
  auto inside = [&](const void* address) {
    const PointerInfo info = Classify(address);
    if (info.kind != MemoryKind::kDevice) return true;
    return reinterpret_cast<uint64_t>(address) - info.base + copy.width <= info.size;
  };
  return inside(copy.destination) && inside(copy.source);
}

void Stage(CopyWork& copy) {
  auto staging = std::make_shared<std::vector<uint8_t>>(copy.Bytes());
  const auto* source = static_cast<const uint8_t*>(copy.source);
  for (size_t slice = 0; slice < copy.depth; ++slice) {
    for (size_t row = 0; row < copy.height; ++row) {
      std::memcpy(staging->data() + (slice * copy.height + row) * copy.width,
                  source + slice * copy.source_slice + row * copy.source_pitch, copy.width);
    }
  }
  copy.source_pitch = copy.width;
  copy.source_slice = copy.width * copy.height;
  copy.staging = std::move(staging);
}

CUresult Async(CUstream handle, void* destination, const void* source, size_t bytes) {
  Stream* stream = StreamOf(handle);
  return stream == nullptr ? BadStream() : CopyAsynchronously(stream, Linear(destination, source, bytes));
}

CUresult Sync(void* destination, const void* source, size_t bytes) {
  Stream* stream = StreamOf(nullptr);
  return stream == nullptr ? BadStream() : CopySynchronously(stream, Linear(destination, source, bytes));
}

void* EndOf(CUmemorytype type, void* host, CUdeviceptr device) {
  return type == CU_MEMORYTYPE_HOST ? host : Pointer(device);
}

CopyWork From2D(const CUDA_MEMCPY2D& p) {
  CopyWork copy;
  copy.width = p.WidthInBytes;
  copy.height = p.Height;
  copy.source_pitch = p.srcPitch != 0 ? p.srcPitch : p.WidthInBytes;
  copy.destination_pitch = p.dstPitch != 0 ? p.dstPitch : p.WidthInBytes;
  const auto* source = static_cast<const uint8_t*>(EndOf(p.srcMemoryType, const_cast<void*>(p.srcHost), p.srcDevice));
  copy.source = source + p.srcY * copy.source_pitch + p.srcXInBytes;
  auto* destination = static_cast<uint8_t*>(EndOf(p.dstMemoryType, p.dstHost, p.dstDevice));
  copy.destination = destination + p.dstY * copy.destination_pitch + p.dstXInBytes;
  return copy;
}

}  // namespace

CUresult CopyAsynchronously(Stream* stream, CopyWork copy) {
  if (copy.Bytes() == 0) return CUDA_SUCCESS;
  if (copy.destination == nullptr || copy.source == nullptr || !InBounds(copy)) return CUDA_ERROR_INVALID_VALUE;
  ClassifyCopy(copy);
  if (stream->capturing.load()) return Dispatch(stream, ItemOf(std::move(copy)));
  if (copy.destination_kind == MemoryKind::kPageable) return DispatchAndWait(stream, ItemOf(std::move(copy)));
  if (copy.source_kind == MemoryKind::kPageable) Stage(copy);
  return Dispatch(stream, ItemOf(std::move(copy)));
}

CUresult CopySynchronously(Stream* stream, CopyWork copy) {
  if (copy.Bytes() == 0) return CUDA_SUCCESS;
  if (copy.destination == nullptr || copy.source == nullptr || !InBounds(copy)) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult refused = CheckImplicitCapture(stream); refused != CUDA_SUCCESS) return refused;
  ClassifyCopy(copy);
  copy.asynchronous = false;
  const bool on_device = copy.destination_kind == MemoryKind::kDevice && copy.source_kind == MemoryKind::kDevice;
  return on_device ? Dispatch(stream, ItemOf(std::move(copy))) : DispatchAndWait(stream, ItemOf(std::move(copy)));
}

SIMGPU_DRIVER(cuMemcpy)(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return Sync(Pointer(to), Pointer(from), bytes);
}
SIMGPU_DRIVER(cuMemcpyHtoD_v2)(CUdeviceptr to, const void* from, size_t bytes) {
  return Sync(Pointer(to), from, bytes);
}
SIMGPU_DRIVER(cuMemcpyDtoH_v2)(void* to, CUdeviceptr from, size_t bytes) { return Sync(to, Pointer(from), bytes); }
SIMGPU_DRIVER(cuMemcpyDtoD_v2)(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return Sync(Pointer(to), Pointer(from), bytes);
}

SIMGPU_DRIVER(cuMemcpyAsync)(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return Async(stream, Pointer(to), Pointer(from), bytes);
}

SIMGPU_DRIVER(cuMemcpyHtoDAsync_v2)(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return Async(stream, Pointer(to), from, bytes);
}

SIMGPU_DRIVER(cuMemcpyDtoHAsync_v2)(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return Async(stream, to, Pointer(from), bytes);
}

SIMGPU_DRIVER(cuMemcpyDtoDAsync_v2)(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return Async(stream, Pointer(to), Pointer(from), bytes);
}

SIMGPU_DRIVER(cuMemcpyPeer)(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes) {
  return Sync(Pointer(to), Pointer(from), bytes);
}

SIMGPU_DRIVER(cuMemcpyPeerAsync)
(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes, CUstream stream) {
  return Async(stream, Pointer(to), Pointer(from), bytes);
}

SIMGPU_DRIVER(cuMemcpy2D_v2)(const CUDA_MEMCPY2D* parameters) {
  Stream* stream = StreamOf(nullptr);
  return stream == nullptr ? BadStream() : CopySynchronously(stream, From2D(*parameters));
}

SIMGPU_DRIVER(cuMemcpy2DUnaligned_v2)(const CUDA_MEMCPY2D* parameters) {
  Stream* stream = StreamOf(nullptr);
  return stream == nullptr ? BadStream() : CopySynchronously(stream, From2D(*parameters));
}

SIMGPU_DRIVER(cuMemcpy2DAsync_v2)(const CUDA_MEMCPY2D* parameters, CUstream handle) {
  Stream* stream = StreamOf(handle);
  return stream == nullptr ? BadStream() : CopyAsynchronously(stream, From2D(*parameters));
}

SIMGPU_DRIVER(cuMemcpy3D_v2)(const CUDA_MEMCPY3D* parameters) {
  Stream* stream = StreamOf(nullptr);
  return stream == nullptr ? BadStream() : CopySynchronously(stream, CopyFrom3D(*parameters));
}

SIMGPU_DRIVER(cuMemcpy3DAsync_v2)(const CUDA_MEMCPY3D* parameters, CUstream handle) {
  Stream* stream = StreamOf(handle);
  return stream == nullptr ? BadStream() : CopyAsynchronously(stream, CopyFrom3D(*parameters));
}

// One operation per copy, in order; the attributes (hints on where the source is read) change nothing here.
SIMGPU_DRIVER(cuMemcpyBatchAsync_v2)
(CUdeviceptr* to, CUdeviceptr* from, size_t* sizes, size_t count, CUmemcpyAttributes*, size_t*, size_t,
 CUstream handle) {
  for (size_t i = 0; i < count; ++i) {
    if (const CUresult bad = Async(handle, Pointer(to[i]), Pointer(from[i]), sizes[i]); bad != CUDA_SUCCESS) return bad;
  }
  return CUDA_SUCCESS;
}

}  // namespace simgpu
