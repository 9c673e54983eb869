// Streams.
#include "simgpu/runtime/runtime_scope.h"

namespace simgpu {

SIMGPU_RUNTIME(cudaStreamCreate)(cudaStream_t* stream) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuStreamCreate)(stream, CU_STREAM_DEFAULT));
}

SIMGPU_RUNTIME(cudaStreamCreateWithFlags)(cudaStream_t* stream, unsigned flags) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuStreamCreate)(stream, flags));
}

SIMGPU_RUNTIME(cudaStreamCreateWithPriority)(cudaStream_t* stream, unsigned flags, int priority) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuStreamCreateWithPriority)(stream, flags, priority));
}

SIMGPU_RUNTIME(cudaStreamDestroy)(cudaStream_t stream) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuStreamDestroy_v2)(stream));
}

SIMGPU_RUNTIME(cudaStreamGetPriority)(cudaStream_t stream, int* priority) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuStreamGetPriority)(DriverStream(stream), priority));
}

SIMGPU_RUNTIME(cudaStreamGetFlags)(cudaStream_t stream, unsigned* flags) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuStreamGetFlags)(DriverStream(stream), flags));
}

SIMGPU_RUNTIME(cudaStreamGetId)(cudaStream_t stream, unsigned long long* id) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuStreamGetId)(DriverStream(stream), id));
}

SIMGPU_RUNTIME(cudaStreamGetDevice)(cudaStream_t stream, int* device) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuStreamGetDevice)(DriverStream(stream), device));
}

SIMGPU_RUNTIME(cudaStreamSynchronize)(cudaStream_t stream) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuStreamSynchronize)(DriverStream(stream)));
}

SIMGPU_RUNTIME(cudaStreamQuery)(cudaStream_t stream) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuStreamQuery)(DriverStream(stream)));
}

SIMGPU_RUNTIME(cudaStreamWaitEvent)(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuStreamWaitEvent)(DriverStream(stream), event, flags));
}

SIMGPU_RUNTIME(cudaStreamAddCallback)(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned flags) {
  SIMGPU_PREPARE();
  return Error(
      DRIVER(cuStreamAddCallback)(DriverStream(stream), reinterpret_cast<CUstreamCallback>(callback), data, flags));
}

SIMGPU_RUNTIME(cudaDeviceGetStreamPriorityRange)(int* least, int* greatest) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuCtxGetStreamPriorityRange)(least, greatest));
}

SIMGPU_RUNTIME(cudaStreamAttachMemAsync)(cudaStream_t stream, void* pointer, size_t length, unsigned flags) {
  SIMGPU_PREPARE();
  return Error(
      DRIVER(cuStreamAttachMemAsync)(DriverStream(stream), reinterpret_cast<CUdeviceptr>(pointer), length, flags));
}

// The attribute unions of runtime and driver are one by design (driver_types.h).
SIMGPU_RUNTIME(cudaStreamGetAttribute)
(cudaStream_t stream, cudaLaunchAttributeID attribute, cudaLaunchAttributeValue* value) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuStreamGetAttribute)(DriverStream(stream), static_cast<CUstreamAttrID>(attribute),
                                            reinterpret_cast<CUstreamAttrValue*>(value)));
}

SIMGPU_RUNTIME(cudaStreamSetAttribute)
(cudaStream_t stream, cudaLaunchAttributeID attribute, const cudaLaunchAttributeValue* value) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuStreamSetAttribute)(DriverStream(stream), static_cast<CUstreamAttrID>(attribute),
                                            reinterpret_cast<const CUstreamAttrValue*>(value)));
}

}  // namespace simgpu
