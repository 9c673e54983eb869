// Allocation, pools, pointer attributes, inter-process handles.
#include <cstring>

#include "simgpu/runtime/runtime_scope.h"

namespace simgpu {
namespace {

CUdeviceptr Address(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

}  // namespace

SIMGPU_RUNTIME(cudaMalloc)(void** out, size_t bytes) {
  SIMGPU_PREPARE();
  if (out == nullptr) return cudaErrorInvalidValue;
  *out = nullptr;
  if (bytes == 0) return cudaSuccess;
  return Error(DRIVER(cuMemAlloc_v2)(reinterpret_cast<CUdeviceptr*>(out), bytes));
}

SIMGPU_RUNTIME(cudaMallocPitch)(void** out, size_t* pitch, size_t width, size_t height) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuMemAllocPitch_v2)(reinterpret_cast<CUdeviceptr*>(out), pitch, width, height, 4));
}

SIMGPU_RUNTIME(cudaFree)(void* pointer) {
  SIMGPU_PREPARE();
  return pointer == nullptr ? cudaSuccess : Error(DRIVER(cuMemFree_v2)(Address(pointer)));
}

SIMGPU_RUNTIME(cudaMallocHost)(void** out, size_t bytes) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuMemAllocHost_v2)(out, bytes));
}

SIMGPU_RUNTIME(cudaHostAlloc)(void** out, size_t bytes, unsigned flags) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuMemHostAlloc)(out, bytes, flags));
}

SIMGPU_RUNTIME(cudaFreeHost)(void* pointer) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuMemFreeHost)(pointer));
}

SIMGPU_RUNTIME(cudaHostRegister)(void* pointer, size_t bytes, unsigned flags) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuMemHostRegister_v2)(pointer, bytes, flags));
}

SIMGPU_RUNTIME(cudaHostUnregister)(void* pointer) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuMemHostUnregister)(pointer));
}

SIMGPU_RUNTIME(cudaHostGetDevicePointer)(void** device, void* host, unsigned flags) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuMemHostGetDevicePointer_v2)(reinterpret_cast<CUdeviceptr*>(device), host, flags));
}

SIMGPU_RUNTIME(cudaHostGetFlags)(unsigned* flags, void* host) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuMemHostGetFlags)(flags, host));
}

SIMGPU_RUNTIME(cudaMallocManaged)(void** out, size_t bytes, unsigned flags) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuMemAllocManaged)(reinterpret_cast<CUdeviceptr*>(out), bytes, flags));
}

SIMGPU_RUNTIME(cudaMemGetInfo)(size_t* free, size_t* total) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuMemGetInfo_v2)(free, total));
}

SIMGPU_RUNTIME(cudaMemAdvise)(const void*, size_t, cudaMemoryAdvise, cudaMemLocation) { return Prepare(); }
SIMGPU_RUNTIME(cudaMemPrefetchAsync)(const void*, size_t, cudaMemLocation, unsigned, cudaStream_t) { return Prepare(); }

SIMGPU_RUNTIME(cudaMallocAsync)(void** out, size_t bytes, cudaStream_t stream) {
  SIMGPU_PREPARE();
  *out = nullptr;
  if (bytes == 0) return cudaSuccess;
  return Error(DRIVER(cuMemAllocAsync)(reinterpret_cast<CUdeviceptr*>(out), bytes, DriverStream(stream)));
}

SIMGPU_RUNTIME(cudaMallocFromPoolAsync)(void** out, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuMemAllocFromPoolAsync)(reinterpret_cast<CUdeviceptr*>(out), bytes, pool, DriverStream(stream)));
}

SIMGPU_RUNTIME(cudaFreeAsync)(void* pointer, cudaStream_t stream) {
  SIMGPU_PREPARE();
  return pointer == nullptr ? cudaSuccess : Error(DRIVER(cuMemFreeAsync)(Address(pointer), DriverStream(stream)));
}

SIMGPU_RUNTIME(cudaMemPoolCreate)(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  SIMGPU_PREPARE();
  CUmemPoolProps driver{};
  driver.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  driver.location.id = properties->location.id;
  return Error(DRIVER(cuMemPoolCreate)(pool, &driver));
}

SIMGPU_RUNTIME(cudaMemPoolDestroy)(cudaMemPool_t pool) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuMemPoolDestroy)(pool));
}

SIMGPU_RUNTIME(cudaMemPoolSetAttribute)(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuMemPoolSetAttribute)(pool, static_cast<CUmemPool_attribute>(attribute), value));
}

SIMGPU_RUNTIME(cudaMemPoolGetAttribute)(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuMemPoolGetAttribute)(pool, static_cast<CUmemPool_attribute>(attribute), value));
}

SIMGPU_RUNTIME(cudaMemPoolTrimTo)(cudaMemPool_t pool, size_t bytes) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuMemPoolTrimTo)(pool, bytes));
}

SIMGPU_RUNTIME(cudaMemPoolSetAccess)(cudaMemPool_t pool, const cudaMemAccessDesc*, size_t) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuMemPoolSetAccess)(pool, nullptr, 0));
}

SIMGPU_RUNTIME(cudaDeviceGetDefaultMemPool)(cudaMemPool_t* pool, int device) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuDeviceGetDefaultMemPool)(pool, device));
}

SIMGPU_RUNTIME(cudaDeviceGetMemPool)(cudaMemPool_t* pool, int device) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuDeviceGetMemPool)(pool, device));
}

SIMGPU_RUNTIME(cudaDeviceSetMemPool)(int device, cudaMemPool_t pool) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuDeviceSetMemPool)(device, pool));
}

SIMGPU_RUNTIME(cudaPointerGetAttributes)(cudaPointerAttributes* out, const void* pointer) {
  SIMGPU_PREPARE();
  *out = cudaPointerAttributes{};
  out->type = static_cast<cudaMemoryType>(Engine()->memory_type(pointer, &out->device));
  if (out->type == cudaMemoryTypeUnregistered) {
    out->device = -2;
    out->hostPointer = const_cast<void*>(pointer);
    return cudaSuccess;
  }
  out->devicePointer = const_cast<void*>(pointer);
  if (out->type != cudaMemoryTypeDevice) out->hostPointer = const_cast<void*>(pointer);
  return cudaSuccess;
}

SIMGPU_RUNTIME(cudaIpcGetMemHandle)(cudaIpcMemHandle_t* handle, void* pointer) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuIpcGetMemHandle)(reinterpret_cast<CUipcMemHandle*>(handle), Address(pointer)));
}

SIMGPU_RUNTIME(cudaIpcOpenMemHandle)(void** pointer, cudaIpcMemHandle_t handle, unsigned flags) {
  SIMGPU_PREPARE();
  CUipcMemHandle driver;
  static_assert(sizeof(driver) == sizeof(handle));
  std::memcpy(&driver, &handle, sizeof(driver));
  return Error(DRIVER(cuIpcOpenMemHandle_v2)(reinterpret_cast<CUdeviceptr*>(pointer), driver, flags));
}

SIMGPU_RUNTIME(cudaIpcCloseMemHandle)(void* pointer) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuIpcCloseMemHandle)(Address(pointer)));
}

}  // namespace simgpu
