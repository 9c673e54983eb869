// Copies and sets.
#include "simgpu/runtime/copy.h"

#include "simgpu/runtime/runtime_scope.h"

namespace simgpu {
namespace {

CUdeviceptr Address(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

bool GoodKind(cudaMemcpyKind kind) { return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault; }

cudaError_t Async(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, CUstream stream) {
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return Error(DRIVER(cuMemcpyHtoDAsync_v2)(Address(to), from, bytes, stream));
    case cudaMemcpyDeviceToHost:
      return Error(DRIVER(cuMemcpyDtoHAsync_v2)(to, Address(from), bytes, stream));
    case cudaMemcpyDeviceToDevice:
      return Error(DRIVER(cuMemcpyDtoDAsync_v2)(Address(to), Address(from), bytes, stream));
    default:
      return Error(DRIVER(cuMemcpyAsync)(Address(to), Address(from), bytes, stream));
  }
}

cudaError_t Sync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  if (Engine()->per_thread()) {
    const cudaError_t queued = Async(to, from, bytes, kind, CU_STREAM_PER_THREAD);
    if (queued != cudaSuccess || kind == cudaMemcpyDeviceToDevice) return queued;
    return Error(DRIVER(cuStreamSynchronize)(CU_STREAM_PER_THREAD));
  }
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return Error(DRIVER(cuMemcpyHtoD_v2)(Address(to), from, bytes));
    case cudaMemcpyDeviceToHost:
      return Error(DRIVER(cuMemcpyDtoH_v2)(to, Address(from), bytes));
    case cudaMemcpyDeviceToDevice:
      return Error(DRIVER(cuMemcpyDtoD_v2)(Address(to), Address(from), bytes));
    default:
      return Error(DRIVER(cuMemcpy)(Address(to), Address(from), bytes));
  }
}

CUDA_MEMCPY2D Rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height) {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.srcDevice = Address(from);
  copy.srcPitch = from_pitch;
  copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.dstDevice = Address(to);
  copy.dstPitch = to_pitch;
  copy.WidthInBytes = width;
  copy.Height = height;
  return copy;
}

}  // namespace

CUDA_MEMCPY3D DriverCopy(const cudaMemcpy3DParms& p) {
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.srcDevice = Address(p.srcPtr.ptr);
  copy.srcPitch = p.srcPtr.pitch;
  copy.srcHeight = p.srcPtr.ysize;
  copy.srcXInBytes = p.srcPos.x;
  copy.srcY = p.srcPos.y;
  copy.srcZ = p.srcPos.z;
  copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.dstDevice = Address(p.dstPtr.ptr);
  copy.dstPitch = p.dstPtr.pitch;
  copy.dstHeight = p.dstPtr.ysize;
  copy.dstXInBytes = p.dstPos.x;
  copy.dstY = p.dstPos.y;
  copy.dstZ = p.dstPos.z;
  copy.WidthInBytes = p.extent.width;
  copy.Height = p.extent.height;
  copy.Depth = p.extent.depth;
  return copy;
}

CUDA_MEMCPY3D DriverCopy1D(void* destination, const void* source, size_t bytes) {
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.srcDevice = Address(source);
  copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.dstDevice = Address(destination);
  copy.WidthInBytes = bytes;
  copy.Height = 1;
  copy.Depth = 1;
  return copy;
}

SIMGPU_RUNTIME(cudaMemcpy)(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  SIMGPU_PREPARE();
  if (!GoodKind(kind)) return cudaErrorInvalidMemcpyDirection;
  return Sync(to, from, bytes, kind);
}

SIMGPU_RUNTIME(cudaMemcpyAsync)(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  SIMGPU_PREPARE();
  if (!GoodKind(kind)) return cudaErrorInvalidMemcpyDirection;
  return Async(to, from, bytes, kind, DriverStream(stream));
}

SIMGPU_RUNTIME(cudaMemcpyPeer)(void* to, int, const void* from, int, size_t bytes) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuMemcpyPeer)(Address(to), nullptr, Address(from), nullptr, bytes));
}

SIMGPU_RUNTIME(cudaMemcpyPeerAsync)(void* to, int, const void* from, int, size_t bytes, cudaStream_t stream) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuMemcpyPeerAsync)(Address(to), nullptr, Address(from), nullptr, bytes, DriverStream(stream)));
}

SIMGPU_RUNTIME(cudaMemcpy2D)
(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind) {
  SIMGPU_PREPARE();
  if (!GoodKind(kind)) return cudaErrorInvalidMemcpyDirection;
  if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
  const CUDA_MEMCPY2D copy = Rows(to, to_pitch, from, from_pitch, width, height);
  return Error(DRIVER(cuMemcpy2D_v2)(&copy));
}

SIMGPU_RUNTIME(cudaMemcpy2DAsync)
(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind,
 cudaStream_t stream) {
  SIMGPU_PREPARE();
  if (!GoodKind(kind)) return cudaErrorInvalidMemcpyDirection;
  if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
  const CUDA_MEMCPY2D copy = Rows(to, to_pitch, from, from_pitch, width, height);
  return Error(DRIVER(cuMemcpy2DAsync_v2)(&copy, DriverStream(stream)));
}

SIMGPU_RUNTIME(cudaMemset)(void* to, int value, size_t bytes) {
  SIMGPU_PREPARE();
  const auto byte = static_cast<unsigned char>(value);
  if (Engine()->per_thread()) return Error(DRIVER(cuMemsetD8Async)(Address(to), byte, bytes, CU_STREAM_PER_THREAD));
  return Error(DRIVER(cuMemsetD8_v2)(Address(to), byte, bytes));
}

SIMGPU_RUNTIME(cudaMemsetAsync)(void* to, int value, size_t bytes, cudaStream_t stream) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuMemsetD8Async)(Address(to), static_cast<unsigned char>(value), bytes, DriverStream(stream)));
}

SIMGPU_RUNTIME(cudaMemset2D)(void* to, size_t pitch, int value, size_t width, size_t height) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuMemsetD2D8_v2)(Address(to), pitch, static_cast<unsigned char>(value), width, height));
}

SIMGPU_RUNTIME(cudaMemset2DAsync)(void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuMemsetD2D8Async)(Address(to), pitch, static_cast<unsigned char>(value), width, height,
                                         DriverStream(stream)));
}

SIMGPU_RUNTIME(cudaMemcpy3D)(const cudaMemcpy3DParms* parameters) {
  SIMGPU_PREPARE();
  const CUDA_MEMCPY3D copy = DriverCopy(*parameters);
  return Error(DRIVER(cuMemcpy3D_v2)(&copy));
}

SIMGPU_RUNTIME(cudaMemcpy3DAsync)(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  SIMGPU_PREPARE();
  const CUDA_MEMCPY3D copy = DriverCopy(*parameters);
  return Error(DRIVER(cuMemcpy3DAsync_v2)(&copy, DriverStream(stream)));
}

SIMGPU_RUNTIME(cudaMemcpyBatchAsync)
(void* const* to, const void* const* from, const size_t* sizes, size_t count, cudaMemcpyAttributes*, size_t*, size_t,
 cudaStream_t stream) {
  SIMGPU_PREPARE();
  for (size_t i = 0; i < count; ++i) {
    if (const cudaError_t error = Async(to[i], from[i], sizes[i], cudaMemcpyDefault, DriverStream(stream));
        error != cudaSuccess)
      return error;
  }
  return cudaSuccess;
}

}  // namespace simgpu
