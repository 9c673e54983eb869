// Events.
#include "simgpu/runtime/runtime_scope.h"

namespace simgpu {

SIMGPU_RUNTIME(cudaEventCreate)(cudaEvent_t* event) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuEventCreate)(event, CU_EVENT_DEFAULT));
}

SIMGPU_RUNTIME(cudaEventCreateWithFlags)(cudaEvent_t* event, unsigned flags) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuEventCreate)(event, flags));
}

SIMGPU_RUNTIME(cudaEventDestroy)(cudaEvent_t event) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuEventDestroy_v2)(event));
}

SIMGPU_RUNTIME(cudaEventRecord)(cudaEvent_t event, cudaStream_t stream) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuEventRecord)(event, DriverStream(stream)));
}

SIMGPU_RUNTIME(cudaEventRecordWithFlags)(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuEventRecordWithFlags)(event, DriverStream(stream), flags));
}

SIMGPU_RUNTIME(cudaEventQuery)(cudaEvent_t event) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuEventQuery)(event));
}

SIMGPU_RUNTIME(cudaEventSynchronize)(cudaEvent_t event) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuEventSynchronize)(event));
}

SIMGPU_RUNTIME(cudaEventElapsedTime)(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuEventElapsedTime_v2)(milliseconds, begin, end));
}

}  // namespace simgpu
