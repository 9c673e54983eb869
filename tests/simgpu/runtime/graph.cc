// Graphs: life, launch, update, queries.
#include "simgpu/runtime/runtime_scope.h"

namespace simgpu {

SIMGPU_RUNTIME(cudaGraphCreate)(cudaGraph_t* graph, unsigned flags) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuGraphCreate)(graph, flags));
}

SIMGPU_RUNTIME(cudaGraphDestroy)(cudaGraph_t graph) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuGraphDestroy)(graph));
}

SIMGPU_RUNTIME(cudaGraphClone)(cudaGraph_t* clone, cudaGraph_t graph) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuGraphClone)(clone, graph));
}

SIMGPU_RUNTIME(cudaGraphInstantiate)(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuGraphInstantiateWithFlags)(exec, graph, flags));
}

SIMGPU_RUNTIME(cudaGraphInstantiateWithFlags)(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuGraphInstantiateWithFlags)(exec, graph, flags));
}

SIMGPU_RUNTIME(cudaGraphInstantiateWithParams)
(cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphInstantiateParams* params) {
  SIMGPU_PREPARE();
  const CUresult result = DRIVER(cuGraphInstantiateWithFlags)(exec, graph, params->flags);
  params->result_out = result == CUDA_SUCCESS ? cudaGraphInstantiateSuccess : cudaGraphInstantiateInvalidStructure;
  params->errNode_out = nullptr;
  return Error(result);
}

SIMGPU_RUNTIME(cudaGraphLaunch)(cudaGraphExec_t exec, cudaStream_t stream) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuGraphLaunch)(exec, DriverStream(stream)));
}

SIMGPU_RUNTIME(cudaGraphUpload)(cudaGraphExec_t exec, cudaStream_t stream) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuGraphUpload)(exec, DriverStream(stream)));
}

SIMGPU_RUNTIME(cudaGraphExecDestroy)(cudaGraphExec_t exec) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuGraphExecDestroy)(exec));
}

SIMGPU_RUNTIME(cudaGraphExecUpdate)(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info) {
  SIMGPU_PREPARE();
  CUgraphExecUpdateResultInfo driver{};
  const CUresult result = DRIVER(cuGraphExecUpdate_v2)(exec, graph, &driver);
  if (info != nullptr) {
    info->result = static_cast<cudaGraphExecUpdateResult>(driver.result);
    info->errorNode = driver.errorNode;
    info->errorFromNode = driver.errorFromNode;
  }
  return Error(result);
}

SIMGPU_RUNTIME(cudaGraphGetNodes)(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuGraphGetNodes)(graph, nodes, count));
}

SIMGPU_RUNTIME(cudaGraphGetRootNodes)(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuGraphGetRootNodes)(graph, nodes, count));
}

SIMGPU_RUNTIME(cudaGraphGetEdges)
(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData*, size_t* count) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuGraphGetEdges_v2)(graph, from, to, nullptr, count));
}

SIMGPU_RUNTIME(cudaGraphNodeGetType)(cudaGraphNode_t node, cudaGraphNodeType* type) {
  SIMGPU_PREPARE();
  CUgraphNodeType driver{};
  const CUresult result = DRIVER(cuGraphNodeGetType)(node, &driver);
  *type = static_cast<cudaGraphNodeType>(driver);
  return Error(result);
}

SIMGPU_RUNTIME(cudaGraphNodeGetDependencies)
(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData*, size_t* count) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuGraphNodeGetDependencies_v2)(node, nodes, nullptr, count));
}

SIMGPU_RUNTIME(cudaGraphNodeGetDependentNodes)
(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData*, size_t* count) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuGraphNodeGetDependentNodes_v2)(node, nodes, nullptr, count));
}

SIMGPU_RUNTIME(cudaGraphDebugDotPrint)(cudaGraph_t graph, const char* path, unsigned flags) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuGraphDebugDotPrint)(graph, path, flags));
}

SIMGPU_RUNTIME(cudaGraphNodeSetEnabled)(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuGraphNodeSetEnabled)(exec, node, enabled));
}

}  // namespace simgpu
