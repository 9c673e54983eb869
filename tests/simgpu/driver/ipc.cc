// Inter-process memory handles, between processes of one machine.
#include <unistd.h>

#include <cstring>

#include "simgpu/core/memory.h"
#include "simgpu/driver/driver_scope.h"

namespace simgpu {
namespace {

struct Payload {
  int pid = 0;
  SharedRange range;
};
static_assert(sizeof(Payload) <= sizeof(CUipcMemHandle));

}  // namespace

SIMGPU_DRIVER(cuIpcGetMemHandle)(CUipcMemHandle* handle, CUdeviceptr address) {
  Payload payload{getpid(), {}};
  if (!ShareAllocation(Classify(reinterpret_cast<void*>(address)).base, &payload.range))
    return CUDA_ERROR_INVALID_VALUE;
  std::memset(handle, 0, sizeof(*handle));
  std::memcpy(handle, &payload, sizeof(payload));
  return CUDA_SUCCESS;
}

// As documented, a process cannot open its own handle.
SIMGPU_DRIVER(cuIpcOpenMemHandle_v2)(CUdeviceptr* address, CUipcMemHandle handle, unsigned) {
  Context* context = CurrentContext();
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  Payload payload;
  std::memcpy(static_cast<void*>(&payload), &handle, sizeof(payload));
  if (payload.pid == getpid()) return CUDA_ERROR_INVALID_CONTEXT;
  *address = AdoptAllocation(payload.pid, payload.range, context->device);
  return *address != 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

SIMGPU_DRIVER(cuIpcCloseMemHandle)(CUdeviceptr address) {
  return DropAdopted(address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace simgpu
