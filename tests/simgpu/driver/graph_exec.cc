// Executable graphs.
#include "simgpu/core/graph_exec.h"

#include "simgpu/driver/driver_scope.h"
#include "simgpu/driver/graph_params.h"

namespace simgpu {
namespace {

CUresult Make(CUgraphExec* out, CUgraph handle) {
  Graph* graph = GraphFrom(handle);
  if (graph == nullptr || out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  GraphExec* exec = nullptr;
  const CUresult result = Instantiate(graph, &exec);
  *out = reinterpret_cast<CUgraphExec>(exec);
  return result;
}

// The executable twin of `node`, if it is of that kind.
GraphExec::Node* Twin(CUgraphExec exec_handle, CUgraphNode node_handle, WorkKind kind) {
  GraphExec* exec = ExecFrom(exec_handle);
  GraphNode* node = NodeFrom(node_handle);
  if (exec == nullptr || node == nullptr) return nullptr;
  GraphExec::Node* twin = ExecNodeOf(exec, node);
  return twin != nullptr && (kind == WorkKind::kEmpty || twin->node->item.kind == kind) ? twin : nullptr;
}

}  // namespace

SIMGPU_DRIVER(cuGraphInstantiateWithFlags)(CUgraphExec* out, CUgraph graph, unsigned long long) {
  return Make(out, graph);
}

SIMGPU_DRIVER(cuGraphInstantiateWithParams)(CUgraphExec* out, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  const CUresult result = Make(out, graph);
  params->result_out =
      result == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS : CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE;
  params->hErrNode_out = nullptr;
  return result;
}

SIMGPU_DRIVER(cuGraphInstantiate_v2)(CUgraphExec* out, CUgraph graph, CUgraphNode* error, char*, size_t) {
  if (error != nullptr) *error = nullptr;
  return Make(out, graph);
}

SIMGPU_DRIVER(cuGraphExecDestroy)(CUgraphExec handle) {
  GraphExec* exec = ExecFrom(handle);
  if (exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
  DestroyExec(exec);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuGraphLaunch)(CUgraphExec handle, CUstream stream_handle) {
  GraphExec* exec = ExecFrom(handle);
  Stream* stream = StreamOf(stream_handle);
  if (stream == nullptr) return BadStream();
  return exec != nullptr ? LaunchExec(exec, stream) : CUDA_ERROR_INVALID_VALUE;
}

SIMGPU_DRIVER(cuGraphUpload)(CUgraphExec handle, CUstream stream) {
  if (StreamOf(stream) == nullptr) return BadStream();
  return ExecFrom(handle) != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

SIMGPU_DRIVER(cuGraphExecUpdate_v2)(CUgraphExec handle, CUgraph graph_handle, CUgraphExecUpdateResultInfo* info) {
  GraphExec* exec = ExecFrom(handle);
  Graph* graph = GraphFrom(graph_handle);
  if (exec == nullptr || graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  GraphNode* error_node = nullptr;
  info->result = UpdateExec(exec, graph, &error_node);
  info->errorNode = NodeHandle(error_node);
  info->errorFromNode = nullptr;
  return info->result == CU_GRAPH_EXEC_UPDATE_SUCCESS ? CUDA_SUCCESS : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

SIMGPU_DRIVER(cuGraphExecKernelNodeSetParams_v2)
(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* params) {
  GraphExec::Node* twin = Twin(exec, node, WorkKind::kKernel);
  return twin != nullptr ? ItemFromKernel(*params, &twin->node->item) : CUDA_ERROR_INVALID_VALUE;
}

SIMGPU_DRIVER(cuGraphExecMemcpyNodeSetParams)
(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D* params, CUcontext) {
  GraphExec::Node* twin = Twin(exec, node, WorkKind::kCopy);
  return twin != nullptr ? ItemFromCopy(*params, &twin->node->item) : CUDA_ERROR_INVALID_VALUE;
}

SIMGPU_DRIVER(cuGraphExecMemsetNodeSetParams)
(CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* params, CUcontext) {
  GraphExec::Node* twin = Twin(exec, node, WorkKind::kSet);
  return twin != nullptr ? ItemFromSet(*params, &twin->node->item) : CUDA_ERROR_INVALID_VALUE;
}

SIMGPU_DRIVER(cuGraphExecHostNodeSetParams)(CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS* params) {
  GraphExec::Node* twin = Twin(exec, node, WorkKind::kHost);
  return twin != nullptr ? ItemFromHost(*params, &twin->node->item) : CUDA_ERROR_INVALID_VALUE;
}

SIMGPU_DRIVER(cuGraphNodeSetEnabled)(CUgraphExec exec, CUgraphNode node, unsigned enabled) {
  GraphExec::Node* twin = Twin(exec, node, WorkKind::kEmpty);
  if (twin == nullptr) return CUDA_ERROR_INVALID_VALUE;
  twin->enabled = enabled != 0;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuGraphNodeGetEnabled)(CUgraphExec exec, CUgraphNode node, unsigned* enabled) {
  GraphExec::Node* twin = Twin(exec, node, WorkKind::kEmpty);
  if (twin == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *enabled = twin->enabled ? 1 : 0;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuGraphExecGetFlags)(CUgraphExec handle, cuuint64_t* flags) {
  *flags = 0;
  return ExecFrom(handle) != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace simgpu
