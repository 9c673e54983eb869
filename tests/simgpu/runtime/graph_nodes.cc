// Graph nodes by hand.
#include "simgpu/runtime/copy.h"
#include "simgpu/runtime/runtime_scope.h"

namespace simgpu {
namespace {

// False if the kernel is unknown.
bool DriverKernel(const cudaKernelNodeParams& params, CUDA_KERNEL_NODE_PARAMS* driver) {
  *driver = CUDA_KERNEL_NODE_PARAMS{};
  driver->func = KernelOf(params.func);
  driver->gridDimX = params.gridDim.x;
  driver->gridDimY = params.gridDim.y;
  driver->gridDimZ = params.gridDim.z;
  driver->blockDimX = params.blockDim.x;
  driver->blockDimY = params.blockDim.y;
  driver->blockDimZ = params.blockDim.z;
  driver->sharedMemBytes = params.sharedMemBytes;
  driver->kernelParams = params.kernelParams;
  driver->extra = params.extra;
  return driver->func != nullptr;
}

CUDA_MEMSET_NODE_PARAMS DriverSet(const cudaMemsetParams& params) {
  return {reinterpret_cast<CUdeviceptr>(params.dst),
          params.pitch,
          params.value,
          params.elementSize,
          params.width,
          params.height};
}

}  // namespace

SIMGPU_RUNTIME(cudaGraphAddKernelNode)
(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, size_t count,
 const cudaKernelNodeParams* params) {
  SIMGPU_PREPARE();
  CUDA_KERNEL_NODE_PARAMS driver;
  if (!DriverKernel(*params, &driver)) return cudaErrorInvalidDeviceFunction;
  return Error(DRIVER(cuGraphAddKernelNode_v2)(node, graph, dependencies, count, &driver));
}

SIMGPU_RUNTIME(cudaGraphAddMemcpyNode)
(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, size_t count,
 const cudaMemcpy3DParms* params) {
  SIMGPU_PREPARE();
  const CUDA_MEMCPY3D driver = DriverCopy(*params);
  return Error(DRIVER(cuGraphAddMemcpyNode)(node, graph, dependencies, count, &driver, nullptr));
}

SIMGPU_RUNTIME(cudaGraphAddMemcpyNode1D)
(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, size_t count, void* to,
 const void* from, size_t bytes, cudaMemcpyKind) {
  SIMGPU_PREPARE();
  const CUDA_MEMCPY3D driver = DriverCopy1D(to, from, bytes);
  return Error(DRIVER(cuGraphAddMemcpyNode)(node, graph, dependencies, count, &driver, nullptr));
}

SIMGPU_RUNTIME(cudaGraphAddMemsetNode)
(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, size_t count,
 const cudaMemsetParams* params) {
  SIMGPU_PREPARE();
  const CUDA_MEMSET_NODE_PARAMS driver = DriverSet(*params);
  return Error(DRIVER(cuGraphAddMemsetNode)(node, graph, dependencies, count, &driver, nullptr));
}

SIMGPU_RUNTIME(cudaGraphAddHostNode)
(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, size_t count,
 const cudaHostNodeParams* params) {
  SIMGPU_PREPARE();
  const CUDA_HOST_NODE_PARAMS driver{params->fn, params->userData};
  return Error(DRIVER(cuGraphAddHostNode)(node, graph, dependencies, count, &driver));
}

SIMGPU_RUNTIME(cudaGraphAddEmptyNode)
(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, size_t count) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuGraphAddEmptyNode)(node, graph, dependencies, count));
}

SIMGPU_RUNTIME(cudaGraphAddChildGraphNode)
(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, size_t count, cudaGraph_t child) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuGraphAddChildGraphNode)(node, graph, dependencies, count, child));
}

SIMGPU_RUNTIME(cudaGraphAddEventRecordNode)
(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, size_t count, cudaEvent_t event) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuGraphAddEventRecordNode)(node, graph, dependencies, count, event));
}

SIMGPU_RUNTIME(cudaGraphAddEventWaitNode)
(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, size_t count, cudaEvent_t event) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuGraphAddEventWaitNode)(node, graph, dependencies, count, event));
}

// cudaGraphNodeParams and CUgraphNodeParams share their layout but for kernels and copies, which are converted.
SIMGPU_RUNTIME(cudaGraphAddNode)
(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, const cudaGraphEdgeData*, size_t count,
 cudaGraphNodeParams* params) {
  SIMGPU_PREPARE();
  switch (params->type) {
    case cudaGraphNodeTypeKernel: {
      const auto& k = params->kernel;
      const cudaKernelNodeParams plain{k.func, k.gridDim, k.blockDim, k.sharedMemBytes, k.kernelParams, k.extra};
      return cudaGraphAddKernelNode_impl(node, graph, dependencies, count, &plain);
    }
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphAddMemcpyNode_impl(node, graph, dependencies, count, &params->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const auto& s = params->memset;
      const CUDA_MEMSET_NODE_PARAMS driver{
          reinterpret_cast<CUdeviceptr>(s.dst), s.pitch, s.value, s.elementSize, s.width, s.height};
      return Error(DRIVER(cuGraphAddMemsetNode)(node, graph, dependencies, count, &driver, nullptr));
    }
    case cudaGraphNodeTypeHost: {
      const CUDA_HOST_NODE_PARAMS driver{params->host.fn, params->host.userData};
      return Error(DRIVER(cuGraphAddHostNode)(node, graph, dependencies, count, &driver));
    }
    case cudaGraphNodeTypeGraph:
      return cudaGraphAddChildGraphNode_impl(node, graph, dependencies, count, params->graph.graph);
    case cudaGraphNodeTypeEmpty:
      return cudaGraphAddEmptyNode_impl(node, graph, dependencies, count);
    case cudaGraphNodeTypeEventRecord:
      return cudaGraphAddEventRecordNode_impl(node, graph, dependencies, count, params->eventRecord.event);
    case cudaGraphNodeTypeWaitEvent:
      return cudaGraphAddEventWaitNode_impl(node, graph, dependencies, count, params->eventWait.event);
    default:
      return cudaErrorNotSupported;
  }
}

SIMGPU_RUNTIME(cudaGraphAddDependencies)
(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, const cudaGraphEdgeData*, size_t count) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuGraphAddDependencies_v2)(graph, from, to, nullptr, count));
}

SIMGPU_RUNTIME(cudaGraphRemoveDependencies)
(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, const cudaGraphEdgeData*, size_t count) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuGraphRemoveDependencies_v2)(graph, from, to, nullptr, count));
}

SIMGPU_RUNTIME(cudaGraphDestroyNode)(cudaGraphNode_t node) {
  SIMGPU_PREPARE();
  return Error(DRIVER(cuGraphDestroyNode)(node));
}

SIMGPU_RUNTIME(cudaGraphKernelNodeGetParams)(cudaGraphNode_t node, cudaKernelNodeParams* params) {
  SIMGPU_PREPARE();
  CUDA_KERNEL_NODE_PARAMS driver;
  const CUresult result = DRIVER(cuGraphKernelNodeGetParams_v2)(node, &driver);
  if (result != CUDA_SUCCESS) return Error(result);
  params->func = driver.func;
  params->gridDim = {driver.gridDimX, driver.gridDimY, driver.gridDimZ};
  params->blockDim = {driver.blockDimX, driver.blockDimY, driver.blockDimZ};
  params->sharedMemBytes = driver.sharedMemBytes;
  params->kernelParams = driver.kernelParams;
  params->extra = driver.extra;
  return cudaSuccess;
}

SIMGPU_RUNTIME(cudaGraphKernelNodeSetParams)(cudaGraphNode_t node, const cudaKernelNodeParams* params) {
  SIMGPU_PREPARE();
  CUDA_KERNEL_NODE_PARAMS driver;
  if (!DriverKernel(*params, &driver)) return cudaErrorInvalidDeviceFunction;
  return Error(DRIVER(cuGraphKernelNodeSetParams_v2)(node, &driver));
}

SIMGPU_RUNTIME(cudaGraphExecKernelNodeSetParams)
(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaKernelNodeParams* params) {
  SIMGPU_PREPARE();
  CUDA_KERNEL_NODE_PARAMS driver;
  if (!DriverKernel(*params, &driver)) return cudaErrorInvalidDeviceFunction;
  return Error(DRIVER(cuGraphExecKernelNodeSetParams_v2)(exec, node, &driver));
}

SIMGPU_RUNTIME(cudaGraphExecMemcpyNodeSetParams1D)
(cudaGraphExec_t exec, cudaGraphNode_t node, void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  SIMGPU_PREPARE();
  const CUDA_MEMCPY3D driver = DriverCopy1D(to, from, bytes);
  return Error(DRIVER(cuGraphExecMemcpyNodeSetParams)(exec, node, &driver, nullptr));
}

SIMGPU_RUNTIME(cudaGraphExecMemsetNodeSetParams)
(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaMemsetParams* params) {
  SIMGPU_PREPARE();
  const CUDA_MEMSET_NODE_PARAMS driver = DriverSet(*params);
  return Error(DRIVER(cuGraphExecMemsetNodeSetParams)(exec, node, &driver, nullptr));
}

SIMGPU_RUNTIME(cudaGraphExecHostNodeSetParams)
(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaHostNodeParams* params) {
  SIMGPU_PREPARE();
  const CUDA_HOST_NODE_PARAMS driver{params->fn, params->userData};
  return Error(DRIVER(cuGraphExecHostNodeSetParams)(exec, node, &driver));
}

SIMGPU_RUNTIME(cudaGraphExecMemcpyNodeSetParams)
(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaMemcpy3DParms* params) {
  SIMGPU_PREPARE();
  const CUDA_MEMCPY3D driver = DriverCopy(*params);
  return Error(DRIVER(cuGraphExecMemcpyNodeSetParams)(exec, node, &driver, nullptr));
}

}  // namespace simgpu
