// Stream capture calls.
#include "simgpu/core/capture.h"

#include "simgpu/driver/driver_scope.h"

namespace simgpu {
namespace {

// Dependencies handed out by GetCaptureInfo stay valid until the thread's next such call.
thread_local std::vector<GraphNode*>* t_dependencies = nullptr;

std::vector<GraphNode*> Nodes(const CUgraphNode* handles, size_t count) {
  std::vector<GraphNode*> nodes;
  for (size_t i = 0; i < count; ++i) {
    if (GraphNode* node = NodeFrom(handles[i])) nodes.push_back(node);
  }
  return nodes;
}

CUresult CaptureInfo(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                     const CUgraphNode** dependencies, size_t* count) {
  Stream* stream = StreamOf(handle);
  if (stream == nullptr) return BadStream();
  if (t_dependencies == nullptr) t_dependencies = new std::vector<GraphNode*>;
  Capture capture;
  *status = CaptureStatus(stream, &capture, t_dependencies);
  if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return CUDA_SUCCESS;
  if (id != nullptr) *id = capture.id;
  if (graph != nullptr) *graph = GraphHandle(capture.graph);
  if (dependencies != nullptr) *dependencies = reinterpret_cast<const CUgraphNode*>(t_dependencies->data());
  if (count != nullptr) *count = t_dependencies->size();
  return CUDA_SUCCESS;
}

}  // namespace

SIMGPU_DRIVER(cuStreamBeginCapture_v2)(CUstream handle, CUstreamCaptureMode mode) {
  Stream* stream = StreamOf(handle);
  if (stream == nullptr) return BadStream();
  return BeginCapture(stream, mode, nullptr, {});
}

SIMGPU_DRIVER(cuStreamBeginCaptureToGraph)
(CUstream handle, CUgraph graph, const CUgraphNode* dependencies, const CUgraphEdgeData*, size_t count,
 CUstreamCaptureMode mode) {
  Stream* stream = StreamOf(handle);
  if (stream == nullptr) return BadStream();
  Graph* into = GraphFrom(graph);
  if (into == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return BeginCapture(stream, mode, into, Nodes(dependencies, count));
}

SIMGPU_DRIVER(cuStreamEndCapture)(CUstream handle, CUgraph* out) {
  Stream* stream = StreamOf(handle);
  if (stream == nullptr) return BadStream();
  Graph* graph = nullptr;
  const CUresult result = EndCapture(stream, &graph);
  if (out != nullptr) *out = GraphHandle(graph);
  return result;
}

SIMGPU_DRIVER(cuStreamIsCapturing)(CUstream handle, CUstreamCaptureStatus* status) {
  Stream* stream = StreamOf(handle);
  if (stream == nullptr) return BadStream();
  *status = CaptureStatus(stream, nullptr, nullptr);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuStreamGetCaptureInfo_v2)
(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph, const CUgraphNode** dependencies,
 size_t* count) {
  return CaptureInfo(handle, status, id, graph, dependencies, count);
}

SIMGPU_DRIVER(cuStreamGetCaptureInfo_v3)
(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph, const CUgraphNode** dependencies,
 const CUgraphEdgeData** edges, size_t* count) {
  if (edges != nullptr) *edges = nullptr;
  return CaptureInfo(handle, status, id, graph, dependencies, count);
}

SIMGPU_DRIVER(cuStreamUpdateCaptureDependencies_v2)
(CUstream handle, CUgraphNode* dependencies, const CUgraphEdgeData*, size_t count, unsigned flags) {
  Stream* stream = StreamOf(handle);
  if (stream == nullptr) return BadStream();
  return SetCaptureDependencies(stream, Nodes(dependencies, count), flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES);
}

SIMGPU_DRIVER(cuThreadExchangeStreamCaptureMode)(CUstreamCaptureMode* mode) {
  std::swap(*mode, Thread().capture_mode);
  return CUDA_SUCCESS;
}

}  // namespace simgpu
