// Contexts.
#include "simgpu/core/context.h"

#include "simgpu/core/capture.h"
#include "simgpu/core/clock.h"
#include "simgpu/core/device.h"
#include "simgpu/core/records.h"
#include "simgpu/core/timeline.h"
#include "simgpu/driver/driver_scope.h"

namespace simgpu {
namespace {

bool Exists(CUdevice device) { return device >= 0 && device < DeviceCount(); }

CUresult Create(CUcontext* out, unsigned flags, CUdevice device) {
  if (!Exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  Context* context = CreateContext(device, flags);
  PushContext(context);
  *out = ContextHandle(context);
  return CUDA_SUCCESS;
}

CUresult Synchronize(Context* context) {
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (const CUresult refused = CheckUnsafeCall(); refused != CUDA_SUCCESS) return refused;
  const uint64_t start = NowNs();
  TheTimeline().WaitContext(context);
  if (Wanted(SIMGPU_WANT_SYNC)) EmitSynchronization(context->legacy, kSyncContext, start);
  ResourceEvent(SIMGPU_CONTEXT_SYNCHRONIZED, context).Send();
  return CUDA_SUCCESS;
}

}  // namespace

SIMGPU_DRIVER(cuDevicePrimaryCtxRetain)(CUcontext* out, CUdevice device) {
  if (!Exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  *out = ContextHandle(RetainPrimary(device));
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuDevicePrimaryCtxRelease_v2)(CUdevice device) {
  if (!Exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  return ReleasePrimary(device, false) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

SIMGPU_DRIVER(cuDevicePrimaryCtxReset_v2)(CUdevice device) {
  if (!Exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  ReleasePrimary(device, true);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuDevicePrimaryCtxSetFlags_v2)(CUdevice device, unsigned flags) {
  if (!Exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  SetPrimaryFlags(device, flags);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuDevicePrimaryCtxGetState)(CUdevice device, unsigned* flags, int* active) {
  if (!Exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  *flags = PrimaryFlags(device);
  *active = PrimaryActive(device) ? 1 : 0;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuCtxCreate_v2)(CUcontext* out, unsigned flags, CUdevice device) { return Create(out, flags, device); }
SIMGPU_DRIVER(cuCtxCreate_v4)(CUcontext* out, CUctxCreateParams*, unsigned flags, CUdevice device) {
  return Create(out, flags, device);
}

SIMGPU_DRIVER(cuCtxCreate_v3)(CUcontext* out, CUexecAffinityParam*, int, unsigned flags, CUdevice device) {
  return Create(out, flags, device);
}

SIMGPU_DRIVER(cuCtxDestroy_v2)(CUcontext handle) {
  Context* context = ContextFrom(handle);
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  DestroyContext(context);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuCtxPushCurrent_v2)(CUcontext handle) {
  Context* context = ContextFrom(handle);
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  return PushContext(context) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

SIMGPU_DRIVER(cuCtxPopCurrent_v2)(CUcontext* out) {
  Context* context = PopContext();
  if (out != nullptr) *out = ContextHandle(context);
  return context != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

SIMGPU_DRIVER(cuCtxSetCurrent)(CUcontext handle) {
  if (handle != nullptr && ContextFrom(handle) == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  SetCurrentContext(ContextFrom(handle));
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuCtxGetCurrent)(CUcontext* out) {
  *out = ContextHandle(CurrentContext());
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuCtxGetDevice)(CUdevice* device) {
  Context* context = CurrentContext();
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *device = context->device;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuCtxGetFlags)(unsigned* flags) {
  Context* context = CurrentContext();
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *flags = context->flags;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuCtxGetId)(CUcontext handle, unsigned long long* id) {
  Context* context = handle != nullptr ? ContextFrom(handle) : CurrentContext();
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *id = context->uid;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuCtxGetApiVersion)(CUcontext, unsigned* version) {
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuCtxSynchronize)() { return Synchronize(CurrentContext()); }

SIMGPU_DRIVER(cuCtxSetLimit)(CUlimit limit, size_t value) {
  Context* context = CurrentContext();
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  std::lock_guard lock(context->mutex);
  context->limits[limit] = value;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuCtxGetLimit)(size_t* value, CUlimit limit) {
  Context* context = CurrentContext();
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  std::lock_guard lock(context->mutex);
  auto found = context->limits.find(limit);
  *value = found != context->limits.end() ? found->second : limit == CU_LIMIT_STACK_SIZE ? 1024 : 8 << 20;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuCtxGetStreamPriorityRange)(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuCtxGetCacheConfig)(CUfunc_cache* config) {
  *config = CU_FUNC_CACHE_PREFER_NONE;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuCtxSetCacheConfig)(CUfunc_cache) { return CUDA_SUCCESS; }

// All simulated memory is reachable from everywhere.
SIMGPU_DRIVER(cuCtxEnablePeerAccess)(CUcontext peer, unsigned) {
  return ContextFrom(peer) != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

SIMGPU_DRIVER(cuCtxDisablePeerAccess)(CUcontext peer) {
  return ContextFrom(peer) != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

}  // namespace simgpu
