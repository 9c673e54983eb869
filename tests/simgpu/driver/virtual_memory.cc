// Virtual memory management. Simplified: an address range has its memory from the start, so mapping only checks its
// arguments.
#include <atomic>
#include <map>
#include <mutex>

#include "simgpu/core/memory.h"
#include "simgpu/driver/driver_scope.h"

namespace simgpu {
namespace {

constexpr size_t kGranularity = 2 << 20;

struct Handles {
  std::mutex mutex;
  std::map<CUmemGenericAllocationHandle, size_t> sizes;
  CUmemGenericAllocationHandle next = 1;
};

Handles& All() {
  static Handles* handles = new Handles;
  return *handles;
}

bool Aligned(size_t size) { return size != 0 && size % kGranularity == 0; }

bool Whole(CUdeviceptr address, size_t size) {
  const PointerInfo info = Classify(reinterpret_cast<void*>(address));
  return info.kind == MemoryKind::kDevice && address - info.base + size <= info.size;
}

}  // namespace

SIMGPU_DRIVER(cuMemGetAllocationGranularity)
(size_t* granularity, const CUmemAllocationProp*, CUmemAllocationGranularity_flags) {
  *granularity = kGranularity;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuMemAddressReserve)(CUdeviceptr* address, size_t size, size_t, CUdeviceptr, unsigned long long) {
  Context* context = CurrentContext();
  if (!Aligned(size)) return CUDA_ERROR_INVALID_VALUE;
  *address = AllocateDevice(context != nullptr ? context->device : 0, size, nullptr);
  return *address != 0 ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

SIMGPU_DRIVER(cuMemAddressFree)(CUdeviceptr address, size_t) {
  return Release(address, MemoryKind::kDevice) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

SIMGPU_DRIVER(cuMemCreate)
(CUmemGenericAllocationHandle* handle, size_t size, const CUmemAllocationProp*, unsigned long long) {
  if (!Aligned(size)) return CUDA_ERROR_INVALID_VALUE;
  if (size > DeviceMemoryBytes()) return CUDA_ERROR_OUT_OF_MEMORY;
  std::lock_guard lock(All().mutex);
  *handle = All().next++;
  All().sizes[*handle] = size;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuMemRelease)(CUmemGenericAllocationHandle handle) {
  std::lock_guard lock(All().mutex);
  return All().sizes.erase(handle) != 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

SIMGPU_DRIVER(cuMemMap)
(CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long) {
  std::lock_guard lock(All().mutex);
  auto found = All().sizes.find(handle);
  const bool fits = found != All().sizes.end() && offset <= found->second && size <= found->second - offset;
  return fits && Whole(address, size) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

SIMGPU_DRIVER(cuMemUnmap)(CUdeviceptr address, size_t size) {
  return Whole(address, size) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

SIMGPU_DRIVER(cuMemSetAccess)(CUdeviceptr address, size_t size, const CUmemAccessDesc*, size_t) {
  return Whole(address, size) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace simgpu
