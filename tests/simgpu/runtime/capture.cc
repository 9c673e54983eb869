// Stream capture.
#include <vector>

#include "simgpu/runtime/runtime_scope.h"

namespace simgpu {

SIMGPU_RUNTIME(cudaStreamBeginCapture)(cudaStream_t stream, cudaStreamCaptureMode mode) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuStreamBeginCapture_v2)(DriverStream(stream), static_cast<CUstreamCaptureMode>(mode)));
}

SIMGPU_RUNTIME(cudaStreamBeginCaptureToGraph)
(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* dependencies, const cudaGraphEdgeData*, size_t count,
 cudaStreamCaptureMode mode) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuStreamBeginCaptureToGraph)(DriverStream(stream), graph, dependencies, nullptr, count,
                                                   static_cast<CUstreamCaptureMode>(mode)));
}

SIMGPU_RUNTIME(cudaStreamEndCapture)(cudaStream_t stream, cudaGraph_t* graph) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuStreamEndCapture)(DriverStream(stream), graph));
}

SIMGPU_RUNTIME(cudaStreamIsCapturing)(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  SIMGPU_PREPARE();
  CUstreamCaptureStatus found{};
  const CUresult result = DRIVER(cuStreamIsCapturing)(DriverStream(stream), &found);
  *status = static_cast<cudaStreamCaptureStatus>(found);
  return Error(result);
}

SIMGPU_RUNTIME(cudaStreamGetCaptureInfo)
(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
 const cudaGraphNode_t** dependencies, const cudaGraphEdgeData** edges, size_t* count) {
  SIMGPU_PREPARE();
  CUstreamCaptureStatus found{};
  cuuint64_t found_id = 0;
  const CUresult result =
      DRIVER(cuStreamGetCaptureInfo_v3)(DriverStream(stream), &found, &found_id, graph, dependencies, nullptr, count);
  *status = static_cast<cudaStreamCaptureStatus>(found);
  if (id != nullptr) *id = found_id;
  if (edges != nullptr) *edges = nullptr;
  return Error(result);
}

SIMGPU_RUNTIME(cudaStreamUpdateCaptureDependencies)
(cudaStream_t stream, cudaGraphNode_t* dependencies, const cudaGraphEdgeData*, size_t count, unsigned flags) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuStreamUpdateCaptureDependencies_v2)(DriverStream(stream), dependencies, nullptr, count, flags));
}

SIMGPU_RUNTIME(cudaThreadExchangeStreamCaptureMode)(cudaStreamCaptureMode* mode) {
  SIMGPU_PREPARE();
  auto driver = static_cast<CUstreamCaptureMode>(*mode);
  const CUresult result = DRIVER(cuThreadExchangeStreamCaptureMode)(&driver);
  *mode = static_cast<cudaStreamCaptureMode>(driver);
  return Error(result);
}

}  // namespace simgpu
