// Kernel launches. The runtime's launches make one nested driver launch.
#include <vector>

#include "simgpu/runtime/runtime_scope.h"

namespace simgpu {
namespace {

struct CallConfiguration {
  dim3 grid, block;
  size_t shared = 0;
  cudaStream_t stream = nullptr;
};

std::vector<CallConfiguration>& Configurations() {
  static thread_local std::vector<CallConfiguration> stack;
  return stack;
}

cudaError_t Launch(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream) {
  SIMGPU_PREPARE();
  CUfunction kernel = KernelOf(function);
  if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
  const CUresult result =
      DRIVER(cuLaunchKernel)(kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z, static_cast<unsigned>(shared),
                             DriverStream(stream), arguments, nullptr);
  // The runtime has its own word for a bad grid or block.
  return result == CUDA_ERROR_INVALID_VALUE ? cudaErrorInvalidConfiguration : Error(result);
}

}  // namespace

SIMGPU_RUNTIME(__cudaLaunchKernel)
(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream) {
  return Launch(kernel, grid, block, arguments, shared, stream);
}

SIMGPU_RUNTIME(cudaLaunchKernel)
(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream) {
  return Launch(function, grid, block, arguments, shared, stream);
}

SIMGPU_RUNTIME(cudaLaunchKernelExC)(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  SIMGPU_PREPARE();
  CUfunction kernel = KernelOf(function);
  if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
  CUlaunchConfig driver{};
  driver.gridDimX = config->gridDim.x;
  driver.gridDimY = config->gridDim.y;
  driver.gridDimZ = config->gridDim.z;
  driver.blockDimX = config->blockDim.x;
  driver.blockDimY = config->blockDim.y;
  driver.blockDimZ = config->blockDim.z;
  driver.sharedMemBytes = static_cast<unsigned>(config->dynamicSmemBytes);
  driver.hStream = DriverStream(config->stream);
  // The two attribute structs are one by design (driver_types.h).
  driver.attrs = reinterpret_cast<CUlaunchAttribute*>(config->attrs);
  driver.numAttrs = config->numAttrs;
  static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute));
  const CUresult result = DRIVER(cuLaunchKernelEx)(&driver, kernel, arguments, nullptr);
  return result == CUDA_ERROR_INVALID_VALUE ? cudaErrorInvalidConfiguration : Error(result);
}

SIMGPU_RUNTIME(cudaLaunchCooperativeKernel)
(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream) {
  SIMGPU_PREPARE();
  CUfunction kernel = KernelOf(function);
  if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
  return Error(DRIVER(cuLaunchCooperativeKernel)(kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                                 static_cast<unsigned>(shared), DriverStream(stream), arguments));
}

SIMGPU_RUNTIME(cudaLaunchHostFunc)(cudaStream_t stream, cudaHostFn_t function, void* data) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuLaunchHostFunc)(DriverStream(stream), function, data));
}

}  // namespace simgpu

extern "C" {

#define SIMGPU_RAW_EXPORT(type, name) SIMGPU_EXPORT type name

SIMGPU_RAW_EXPORT(unsigned, __cudaPushCallConfiguration)(dim3 grid, dim3 block, size_t shared, CUstream_st* stream) {
  simgpu::Configurations().push_back({grid, block, shared, stream});
  return 0;
}

SIMGPU_RAW_EXPORT(cudaError_t, __cudaPopCallConfiguration)(dim3* grid, dim3* block, size_t* shared, void* stream) {
  auto& stack = simgpu::Configurations();
  if (stack.empty()) return cudaErrorMissingConfiguration;
  *grid = stack.back().grid;
  *block = stack.back().block;
  *shared = stack.back().shared;
  *static_cast<cudaStream_t*>(stream) = stack.back().stream;
  stack.pop_back();
  return cudaSuccess;
}

}  // extern "C"
