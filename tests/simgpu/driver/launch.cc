// Kernel launches and occupancy.
#include "simgpu/driver/launch.h"

#include <algorithm>
#include <cstring>

#include "simgpu/core/device.h"
#include "simgpu/core/work_item.h"
#include "simgpu/driver/driver_scope.h"

namespace simgpu {
namespace {

CUresult Launch(CUstream handle, KernelWork kernel, void** parameters, void** extra) {
  Stream* stream = StreamOf(handle);
  if (stream == nullptr) return BadStream();
  if (kernel.function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (const CUresult refused = CheckLaunch(kernel); refused != CUDA_SUCCESS) return refused;
  CopyArguments(kernel, parameters, extra, stream->capturing.load());
  WorkItem item;
  item.kind = WorkKind::kKernel;
  item.kernel = std::move(kernel);
  return Dispatch(stream, std::move(item));
}

KernelWork Work(const void* function, const unsigned (&grid)[3], const unsigned (&block)[3], unsigned shared) {
  KernelWork kernel;
  kernel.function = FunctionFrom(function);
  std::copy(grid, grid + 3, kernel.grid);
  std::copy(block, block + 3, kernel.block);
  kernel.shared = shared;
  return kernel;
}

int BlocksPerMultiprocessor(const Function& function, int threads, size_t shared) {
  if (threads <= 0) return 0;
  const int warps = (threads + 31) / 32;
  const auto registers =
      std::max<uint32_t>((function.info.registers + 7) / 8 * 8, 16) * 32u * static_cast<uint32_t>(warps);
  const auto bytes = static_cast<uint32_t>(shared) + function.info.static_shared + 1024;
  return static_cast<int>(
      std::min({2048u / (static_cast<uint32_t>(warps) * 32), 65536u / registers, 233472u / bytes, 32u}));
}

}  // namespace

CUresult CheckLaunch(const KernelWork& kernel) {
  const auto zero = [](const uint32_t(&v)[3]) { return v[0] == 0 || v[1] == 0 || v[2] == 0; };
  const uint64_t threads = uint64_t{kernel.block[0]} * kernel.block[1] * kernel.block[2];
  if (zero(kernel.grid) || zero(kernel.block) || threads > 1024 || kernel.block[2] > 64)
    return CUDA_ERROR_INVALID_VALUE;
  if (kernel.grid[1] > 65535 || kernel.grid[2] > 65535) return CUDA_ERROR_INVALID_VALUE;
  if (threads > kernel.function->info.max_threads) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  if (kernel.shared > static_cast<uint32_t>(kernel.function->max_dynamic_shared)) return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuLaunchKernel)
(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
 CUstream stream, void** parameters, void** extra) {
  return Launch(stream, Work(function, {gx, gy, gz}, {bx, by, bz}, shared), parameters, extra);
}

SIMGPU_DRIVER(cuLaunchKernelEx)(const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra) {
  KernelWork kernel = Work(function, {config->gridDimX, config->gridDimY, config->gridDimZ},
                           {config->blockDimX, config->blockDimY, config->blockDimZ}, config->sharedMemBytes);
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const CUlaunchAttribute& attribute = config->attrs[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) kernel.cooperative = attribute.value.cooperative != 0;
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      kernel.cluster[0] = attribute.value.clusterDim.x;
      kernel.cluster[1] = attribute.value.clusterDim.y;
      kernel.cluster[2] = attribute.value.clusterDim.z;
    }
  }
  return Launch(config->hStream, std::move(kernel), parameters, extra);
}

SIMGPU_DRIVER(cuLaunchCooperativeKernel)
(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
 CUstream stream, void** parameters) {
  KernelWork kernel = Work(function, {gx, gy, gz}, {bx, by, bz}, shared);
  kernel.cooperative = true;
  if (kernel.function != nullptr) {
    const auto resident = uint64_t{kMultiprocessors} * static_cast<uint64_t>(BlocksPerMultiprocessor(
                                                           *kernel.function, static_cast<int>(bx * by * bz), shared));
    if (uint64_t{gx} * gy * gz > resident) return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  }
  return Launch(stream, std::move(kernel), parameters, nullptr);
}

SIMGPU_DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor)(int* blocks, CUfunction handle, int threads, size_t shared) {
  Function* function = FunctionFrom(handle);
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *blocks = BlocksPerMultiprocessor(*function, threads, shared);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
(int* blocks, CUfunction handle, int threads, size_t shared, unsigned) {
  Function* function = FunctionFrom(handle);
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *blocks = BlocksPerMultiprocessor(*function, threads, shared);
  return CUDA_SUCCESS;
}

}  // namespace simgpu
