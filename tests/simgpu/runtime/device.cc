// Devices.
#include <cstring>

#include "simgpu/runtime/runtime_scope.h"

namespace simgpu {
namespace {

int Attribute(CUdevice_attribute attribute, int device) {
  int value = 0;
  (void)DRIVER(cuDeviceGetAttribute)(&value, attribute, device);
  return value;
}

void FillLimits(cudaDeviceProp* prop, int device) {
  prop->sharedMemPerBlock = static_cast<size_t>(Attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, device));
  prop->sharedMemPerBlockOptin =
      static_cast<size_t>(Attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device));
  prop->sharedMemPerMultiprocessor =
      static_cast<size_t>(Attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, device));
  prop->reservedSharedMemPerBlock =
      static_cast<size_t>(Attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, device));
  prop->regsPerBlock = Attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, device);
  prop->regsPerMultiprocessor = Attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, device);
  prop->warpSize = Attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE, device);
  prop->maxThreadsPerBlock = Attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, device);
  prop->maxThreadsPerMultiProcessor = Attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, device);
  prop->maxBlocksPerMultiProcessor = Attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, device);
  for (int i = 0; i < 3; ++i) {
    prop->maxThreadsDim[i] =
        Attribute(static_cast<CUdevice_attribute>(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i), device);
    prop->maxGridSize[i] = Attribute(static_cast<CUdevice_attribute>(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + i), device);
  }
}

cudaError_t Properties(cudaDeviceProp* prop, int device) {
  std::memset(prop, 0, sizeof(*prop));
  const CUresult named = DRIVER(cuDeviceGetName)(prop->name, sizeof(prop->name), device);
  if (named != CUDA_SUCCESS) return Error(named);
  (void)DRIVER(cuDeviceGetUuid_v2)(reinterpret_cast<CUuuid*>(&prop->uuid), device);
  (void)DRIVER(cuDeviceTotalMem_v2)(&prop->totalGlobalMem, device);
  FillLimits(prop, device);
  prop->major = Attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  prop->minor = Attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  prop->multiProcessorCount = Attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
  prop->totalConstMem = static_cast<size_t>(Attribute(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, device));
  prop->memPitch = static_cast<size_t>(Attribute(CU_DEVICE_ATTRIBUTE_MAX_PITCH, device));
  prop->textureAlignment = 512;
  prop->l2CacheSize = Attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device);
  prop->memoryBusWidth = Attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, device);
  prop->asyncEngineCount = Attribute(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, device);
  prop->pciBusID = Attribute(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, device);
  prop->unifiedAddressing = prop->managedMemory = prop->concurrentManagedAccess = 1;
  prop->canMapHostMemory = prop->concurrentKernels = prop->streamPrioritiesSupported = 1;
  prop->cooperativeLaunch = prop->memoryPoolsSupported = prop->computePreemptionSupported = prop->clusterLaunch = 1;
  return cudaSuccess;
}

}  // namespace

SIMGPU_RUNTIME(cudaGetDeviceCount)(int* count) {
  *count = 0;
  if (const cudaError_t error = PrepareDriver(); error != cudaSuccess) return error;
  return Error(DRIVER(cuDeviceGetCount)(count));
}

SIMGPU_RUNTIME(cudaGetDevice)(int* device) {
  if (const cudaError_t error = PrepareDriver(); error != cudaSuccess) return error;
  // A context made current by the driver API decides, as in the real runtime.
  if (Engine()->has_context()) return Error(DRIVER(cuCtxGetDevice)(device));
  *device = ThreadDevice();
  return cudaSuccess;
}

SIMGPU_RUNTIME(cudaSetDevice)(int device) {
  if (const cudaError_t error = PrepareDriver(); error != cudaSuccess) return error;
  const int result = Engine()->use_primary(device);
  if (result == 0) SetThreadDevice(device);
  return static_cast<cudaError_t>(result);
}

SIMGPU_RUNTIME(cudaInitDevice)(int device, unsigned, unsigned) {
  if (const cudaError_t error = PrepareDriver(); error != cudaSuccess) return error;
  return static_cast<cudaError_t>(Engine()->use_primary(device));
}

SIMGPU_RUNTIME(cudaGetDeviceProperties)(cudaDeviceProp* prop, int device) {
  if (const cudaError_t error = PrepareDriver(); error != cudaSuccess) return error;
  return Properties(prop, device);
}

SIMGPU_RUNTIME(cudaDeviceGetAttribute)(int* value, cudaDeviceAttr attribute, int device) {
  if (const cudaError_t error = PrepareDriver(); error != cudaSuccess) return error;
  return Error(DRIVER(cuDeviceGetAttribute)(value, static_cast<CUdevice_attribute>(attribute), device));
}

SIMGPU_RUNTIME(cudaDeviceGetPCIBusId)(char* text, int length, int device) {
  if (const cudaError_t error = PrepareDriver(); error != cudaSuccess) return error;
  return Error(DRIVER(cuDeviceGetPCIBusId)(text, length, device));
}

SIMGPU_RUNTIME(cudaDeviceGetByPCIBusId)(int* device, const char* text) {
  if (const cudaError_t error = PrepareDriver(); error != cudaSuccess) return error;
  return Error(DRIVER(cuDeviceGetByPCIBusId)(device, text));
}

SIMGPU_RUNTIME(cudaDeviceSynchronize)() {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuCtxSynchronize)());
}

SIMGPU_RUNTIME(cudaDeviceReset)() {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuDevicePrimaryCtxReset_v2)(ThreadDevice()));
}

SIMGPU_RUNTIME(cudaDeviceSetLimit)(cudaLimit limit, size_t value) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuCtxSetLimit)(static_cast<CUlimit>(limit), value));
}

SIMGPU_RUNTIME(cudaDeviceGetLimit)(size_t* value, cudaLimit limit) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuCtxGetLimit)(value, static_cast<CUlimit>(limit)));
}

SIMGPU_RUNTIME(cudaDeviceCanAccessPeer)(int* can, int device, int peer) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuDeviceCanAccessPeer)(can, device, peer));
}

// All simulated memory is reachable from everywhere.
SIMGPU_RUNTIME(cudaDeviceEnablePeerAccess)(int, unsigned) { return Prepare(); }
SIMGPU_RUNTIME(cudaDeviceDisablePeerAccess)(int) { return Prepare(); }

SIMGPU_RUNTIME(cudaSetDeviceFlags)(unsigned flags) {
  if (const cudaError_t error = PrepareDriver(); error != cudaSuccess) return error;
  return Error(DRIVER(cuDevicePrimaryCtxSetFlags_v2)(ThreadDevice(), flags));
}

SIMGPU_RUNTIME(cudaGetDeviceFlags)(unsigned* flags) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuCtxGetFlags)(flags));
}

SIMGPU_RUNTIME(cudaDeviceSetCacheConfig)(cudaFuncCache) { return Prepare(); }

SIMGPU_RUNTIME(cudaDeviceGetCacheConfig)(cudaFuncCache* config) {
  *config = cudaFuncCachePreferNone;
  return Prepare();
}

}  // namespace simgpu
