// Kernel attributes and occupancy.
#include "simgpu/runtime/runtime_scope.h"

namespace simgpu {
namespace {

int Attribute(CUfunction kernel, CUfunction_attribute attribute) {
  int value = 0;
  (void)DRIVER(cuFuncGetAttribute)(&value, attribute, kernel);
  return value;
}

cudaError_t Occupancy(int* blocks, const void* function, int threads, size_t shared) {
  SIMGPU_PREPARE();
  CUfunction kernel = KernelOf(function);
  if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
  return Error(DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor)(blocks, kernel, threads, shared));
}

}  // namespace

SIMGPU_RUNTIME(cudaFuncGetAttributes)(cudaFuncAttributes* attributes, const void* function) {
  SIMGPU_PREPARE();
  CUfunction kernel = KernelOf(function);
  if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
  *attributes = cudaFuncAttributes{};
  attributes->sharedSizeBytes = static_cast<size_t>(Attribute(kernel, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
  attributes->maxThreadsPerBlock = Attribute(kernel, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  attributes->numRegs = Attribute(kernel, CU_FUNC_ATTRIBUTE_NUM_REGS);
  attributes->ptxVersion = Attribute(kernel, CU_FUNC_ATTRIBUTE_PTX_VERSION);
  attributes->binaryVersion = Attribute(kernel, CU_FUNC_ATTRIBUTE_BINARY_VERSION);
  attributes->maxDynamicSharedSizeBytes = Attribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  attributes->preferredShmemCarveout = Attribute(kernel, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
  return cudaSuccess;
}

SIMGPU_RUNTIME(cudaFuncSetAttribute)(const void* function, cudaFuncAttribute attribute, int value) {
  SIMGPU_PREPARE();
  CUfunction kernel = KernelOf(function);
  if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
  return Error(DRIVER(cuFuncSetAttribute)(kernel, static_cast<CUfunction_attribute>(attribute), value));
}

SIMGPU_RUNTIME(cudaFuncSetCacheConfig)(const void* function, cudaFuncCache) {
  SIMGPU_PREPARE();
  return KernelOf(function) != nullptr ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

SIMGPU_RUNTIME(cudaFuncGetName)(const char** name, const void* function) {
  SIMGPU_PREPARE();
  *name = KernelName(function);
  return *name != nullptr ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

SIMGPU_RUNTIME(cudaGetFuncBySymbol)(cudaFunction_t* out, const void* symbol) {
  SIMGPU_PREPARE();
  *out = KernelOf(symbol);
  return *out != nullptr ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

SIMGPU_RUNTIME(cudaGetKernel)(cudaKernel_t* out, const void* symbol) {
  SIMGPU_PREPARE();
  *out = reinterpret_cast<cudaKernel_t>(KernelOf(symbol));
  return *out != nullptr ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

SIMGPU_RUNTIME(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
(int* blocks, const void* function, int threads, size_t shared) { return Occupancy(blocks, function, threads, shared); }

SIMGPU_RUNTIME(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
(int* blocks, const void* function, int threads, size_t shared, unsigned) {
  return Occupancy(blocks, function, threads, shared);
}

SIMGPU_RUNTIME(cudaFuncGetParamInfo)(const void* function, size_t index, size_t* offset, size_t* size) {
  SIMGPU_PREPARE();
  CUfunction kernel = KernelOf(function);
  if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
  return Error(DRIVER(cuFuncGetParamInfo)(kernel, index, offset, size));
}

SIMGPU_RUNTIME(cudaLibraryLoadData)
(cudaLibrary_t* library, const void* code, cudaJitOption*, void**, unsigned, cudaLibraryOption*, void**, unsigned) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuLibraryLoadData)(library, code, nullptr, nullptr, 0, nullptr, nullptr, 0));
}

SIMGPU_RUNTIME(cudaLibraryUnload)(cudaLibrary_t library) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuLibraryUnload)(library));
}

SIMGPU_RUNTIME(cudaLibraryGetKernel)(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuLibraryGetKernel)(reinterpret_cast<CUkernel*>(kernel), library, name));
}

}  // namespace simgpu
