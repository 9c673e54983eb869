// Allocation: device, pinned, managed, stream-ordered; pointer queries.
#include "simgpu/core/memory.h"

#include <cstring>

#include "simgpu/core/capture.h"
#include "simgpu/core/pool.h"
#include "simgpu/core/records.h"
#include "simgpu/core/timeline.h"
#include "simgpu/driver/driver_scope.h"

namespace simgpu {
namespace {

constexpr uint32_t kAllocate = 1, kRelease = 2;  // CUpti_ActivityMemoryOperationType

CUresult Allocate(CUdeviceptr* out, size_t bytes) {
  Context* context = CurrentContext();
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (out == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult refused = CheckUnsafeCall(); refused != CUDA_SUCCESS) return refused;
  *out = AllocateDevice(context->device, bytes, nullptr);
  if (*out == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  if (Wanted(SIMGPU_WANT_MEMORY)) EmitMemory(kAllocate, *out, bytes, MemoryKind::kDevice, nullptr, nullptr);
  return CUDA_SUCCESS;
}

CUresult AllocatePinned(void** out, size_t bytes) {
  Context* context = CurrentContext();
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (out == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  *out = AllocateHost(bytes, MemoryKind::kPinned, context->device);
  if (*out == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  if (Wanted(SIMGPU_WANT_MEMORY))
    EmitMemory(kAllocate, reinterpret_cast<uint64_t>(*out), bytes, MemoryKind::kPinned, nullptr, nullptr);
  return CUDA_SUCCESS;
}

CUresult AllocateInStream(CUdeviceptr* out, size_t bytes, Pool* pool, CUstream handle) {
  Stream* stream = StreamOf(handle);
  if (stream == nullptr) return BadStream();
  if (out == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  *out = AllocateDevice(stream->context->device, bytes, pool);
  if (*out == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  if (stream->capturing.load()) {
    WorkItem item;
    item.kind = WorkKind::kAllocate;
    item.address = *out;
    item.bytes = bytes;
    return CaptureNode(stream, std::move(item), nullptr);
  }
  if (Wanted(SIMGPU_WANT_MEMORY)) EmitMemory(kAllocate, *out, bytes, MemoryKind::kDevice, stream, pool->Handle());
  return CUDA_SUCCESS;
}

Pool* PoolOfStream(CUstream handle) {
  Stream* stream = StreamOf(handle);
  return CurrentPool(stream != nullptr ? stream->context->device : 0);
}

}  // namespace

SIMGPU_DRIVER(cuMemAlloc_v2)(CUdeviceptr* out, size_t bytes) { return Allocate(out, bytes); }

SIMGPU_DRIVER(cuMemAllocPitch_v2)(CUdeviceptr* out, size_t* pitch, size_t width, size_t height, unsigned) {
  *pitch = (width + 511) / 512 * 512;
  return Allocate(out, *pitch * height);
}

// As the real one, waits for the device before memory goes away.
SIMGPU_DRIVER(cuMemFree_v2)(CUdeviceptr address) {
  if (address == 0) return CUDA_SUCCESS;
  if (const CUresult refused = CheckUnsafeCall(); refused != CUDA_SUCCESS) return refused;
  TheTimeline().WaitContext(CurrentContext());
  const PointerInfo info = Classify(reinterpret_cast<void*>(address));
  if (!Release(address, MemoryKind::kDevice) && !Release(address, MemoryKind::kManaged))
    return CUDA_ERROR_INVALID_VALUE;
  if (Wanted(SIMGPU_WANT_MEMORY)) EmitMemory(kRelease, address, info.size, info.kind, nullptr, nullptr);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuMemAllocHost_v2)(void** out, size_t bytes) { return AllocatePinned(out, bytes); }
SIMGPU_DRIVER(cuMemHostAlloc)(void** out, size_t bytes, unsigned) { return AllocatePinned(out, bytes); }

SIMGPU_DRIVER(cuMemFreeHost)(void* address) {
  if (address == nullptr) return CUDA_SUCCESS;
  TheTimeline().WaitContext(CurrentContext());
  const PointerInfo info = Classify(address);
  if (!Release(reinterpret_cast<uint64_t>(address), MemoryKind::kPinned)) return CUDA_ERROR_INVALID_VALUE;
  if (Wanted(SIMGPU_WANT_MEMORY)) EmitMemory(kRelease, info.base, info.size, info.kind, nullptr, nullptr);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuMemHostGetDevicePointer_v2)(CUdeviceptr* out, void* address, unsigned) {
  if (Classify(address).kind != MemoryKind::kPinned) return CUDA_ERROR_INVALID_VALUE;
  *out = reinterpret_cast<CUdeviceptr>(address);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuMemHostGetFlags)(unsigned* flags, void* address) {
  if (Classify(address).kind != MemoryKind::kPinned) return CUDA_ERROR_INVALID_VALUE;
  *flags = CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuMemHostRegister_v2)(void* address, size_t bytes, unsigned) {
  if (address == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  return RegisterHost(address, bytes) ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
}

SIMGPU_DRIVER(cuMemHostUnregister)(void* address) {
  return UnregisterHost(address) ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

SIMGPU_DRIVER(cuMemAllocManaged)(CUdeviceptr* out, size_t bytes, unsigned) {
  Context* context = CurrentContext();
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  *out = reinterpret_cast<CUdeviceptr>(AllocateHost(bytes, MemoryKind::kManaged, context->device));
  return *out != 0 ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

SIMGPU_DRIVER(cuMemGetInfo_v2)(size_t* free, size_t* total) {
  Context* context = CurrentContext();
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *total = DeviceMemoryBytes();
  *free = *total - UsedBytes(context->device);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuMemGetAddressRange_v2)(CUdeviceptr* base, size_t* size, CUdeviceptr address) {
  const PointerInfo info = Classify(reinterpret_cast<void*>(address));
  if (info.kind == MemoryKind::kPageable) return CUDA_ERROR_NOT_FOUND;
  if (base != nullptr) *base = info.base;
  if (size != nullptr) *size = info.size;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuMemAdvise_v2)(CUdeviceptr, size_t, CUmem_advise, CUmemLocation) { return CUDA_SUCCESS; }

SIMGPU_DRIVER(cuMemPrefetchAsync_v2)(CUdeviceptr, size_t, CUmemLocation, unsigned, CUstream handle) {
  return StreamOf(handle) != nullptr ? CUDA_SUCCESS : BadStream();
}

SIMGPU_DRIVER(cuMemAllocAsync)(CUdeviceptr* out, size_t bytes, CUstream stream) {
  return AllocateInStream(out, bytes, PoolOfStream(stream), stream);
}

SIMGPU_DRIVER(cuMemAllocFromPoolAsync)(CUdeviceptr* out, size_t bytes, CUmemoryPool pool, CUstream stream) {
  Pool* found = PoolFrom(pool);
  return found != nullptr ? AllocateInStream(out, bytes, found, stream) : CUDA_ERROR_INVALID_HANDLE;
}

SIMGPU_DRIVER(cuMemFreeAsync)(CUdeviceptr address, CUstream handle) {
  Stream* stream = StreamOf(handle);
  if (stream == nullptr) return BadStream();
  const PointerInfo info = Classify(reinterpret_cast<void*>(address));
  if (info.kind != MemoryKind::kDevice || info.base != address) return CUDA_ERROR_INVALID_VALUE;
  if (Wanted(SIMGPU_WANT_MEMORY)) EmitMemory(kRelease, address, info.size, info.kind, stream, info.pool);
  WorkItem item;
  item.kind = WorkKind::kFree;
  item.address = address;
  return Dispatch(stream, std::move(item));
}

SIMGPU_DRIVER(cuMemPoolCreate)(CUmemoryPool* out, const CUmemPoolProps* properties) {
  auto* pool = new Pool;
  pool->device = properties->location.id;
  *out = pool->Handle();
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuMemPoolDestroy)(CUmemoryPool handle) {
  Pool* pool = PoolFrom(handle);
  if (pool == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  pool->magic = 0;
  return CUDA_SUCCESS;
}

// All attributes are 64-bit but the three reuse flags, which are int.
SIMGPU_DRIVER(cuMemPoolSetAttribute)(CUmemoryPool handle, CUmemPool_attribute attribute, void* value) {
  Pool* pool = PoolFrom(handle);
  if (pool == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  uint64_t stored = 0;
  std::memcpy(&stored, value, attribute < CU_MEMPOOL_ATTR_RELEASE_THRESHOLD ? sizeof(int) : sizeof(uint64_t));
  pool->attributes[attribute] = stored;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuMemPoolGetAttribute)(CUmemoryPool handle, CUmemPool_attribute attribute, void* value) {
  Pool* pool = PoolFrom(handle);
  if (pool == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  uint64_t stored = pool->attributes[attribute];
  if (attribute == CU_MEMPOOL_ATTR_USED_MEM_CURRENT || attribute == CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)
    stored = UsedBytes(pool->device);
  std::memcpy(value, &stored, attribute < CU_MEMPOOL_ATTR_RELEASE_THRESHOLD ? sizeof(int) : sizeof(uint64_t));
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuMemPoolTrimTo)(CUmemoryPool handle, size_t) {
  return PoolFrom(handle) != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

SIMGPU_DRIVER(cuMemPoolSetAccess)(CUmemoryPool handle, const CUmemAccessDesc*, size_t) {
  return PoolFrom(handle) != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

}  // namespace simgpu
