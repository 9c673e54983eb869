#include "simgpu/driver/graph_params.h"

#include <algorithm>

#include "simgpu/core/event.h"
#include "simgpu/core/module.h"
#include "simgpu/driver/driver_scope.h"
#include "simgpu/driver/launch.h"

namespace simgpu {
namespace {

void* End(CUmemorytype type, const void* host, CUdeviceptr device) {
  return type == CU_MEMORYTYPE_HOST ? const_cast<void*>(host) : reinterpret_cast<void*>(device);
}

CUresult EventItem(CUevent handle, WorkKind kind, WorkItem* item) {
  item->kind = kind;
  item->event = EventFrom(handle);
  return item->event != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

}  // namespace

CopyWork CopyFrom3D(const CUDA_MEMCPY3D& p) {
  CopyWork copy;
  copy.width = p.WidthInBytes;
  copy.height = std::max<size_t>(p.Height, 1);
  copy.depth = std::max<size_t>(p.Depth, 1);
  copy.source_pitch = p.srcPitch != 0 ? p.srcPitch : p.WidthInBytes;
  copy.destination_pitch = p.dstPitch != 0 ? p.dstPitch : p.WidthInBytes;
  copy.source_slice = copy.source_pitch * (p.srcHeight != 0 ? p.srcHeight : copy.height);
  copy.destination_slice = copy.destination_pitch * (p.dstHeight != 0 ? p.dstHeight : copy.height);
  const auto* source = static_cast<const uint8_t*>(End(p.srcMemoryType, p.srcHost, p.srcDevice));
  copy.source = source + p.srcZ * copy.source_slice + p.srcY * copy.source_pitch + p.srcXInBytes;
  auto* destination = static_cast<uint8_t*>(End(p.dstMemoryType, p.dstHost, p.dstDevice));
  copy.destination = destination + p.dstZ * copy.destination_slice + p.dstY * copy.destination_pitch + p.dstXInBytes;
  ClassifyCopy(copy);
  return copy;
}

CUresult ItemFromKernel(const CUDA_KERNEL_NODE_PARAMS& params, WorkItem* item) {
  item->kind = WorkKind::kKernel;
  KernelWork& kernel = item->kernel;
  kernel = KernelWork{};
  kernel.function = FunctionFrom(params.func != nullptr ? static_cast<const void*>(params.func)
                                                        : static_cast<const void*>(params.kern));
  if (kernel.function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const uint32_t grid[] = {params.gridDimX, params.gridDimY, params.gridDimZ};
  const uint32_t block[] = {params.blockDimX, params.blockDimY, params.blockDimZ};
  std::copy(grid, grid + 3, kernel.grid);
  std::copy(block, block + 3, kernel.block);
  kernel.shared = params.sharedMemBytes;
  CopyArguments(kernel, params.kernelParams, params.extra, true);
  return CheckLaunch(kernel);
}

CUDA_KERNEL_NODE_PARAMS KernelFromItem(const WorkItem& item) {
  CUDA_KERNEL_NODE_PARAMS params{};
  const KernelWork& kernel = item.kernel;
  params.func = reinterpret_cast<CUfunction>(kernel.function);
  params.gridDimX = kernel.grid[0];
  params.gridDimY = kernel.grid[1];
  params.gridDimZ = kernel.grid[2];
  params.blockDimX = kernel.block[0];
  params.blockDimY = kernel.block[1];
  params.blockDimZ = kernel.block[2];
  params.sharedMemBytes = kernel.shared;
  params.kernelParams = kernel.arguments ? kernel.arguments->pointers.data() : nullptr;
  return params;
}

CUresult ItemFromCopy(const CUDA_MEMCPY3D& params, WorkItem* item) {
  item->kind = WorkKind::kCopy;
  item->copy = CopyFrom3D(params);
  return item->copy.source != nullptr && item->copy.destination != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult ItemFromSet(const CUDA_MEMSET_NODE_PARAMS& params, WorkItem* item) {
  item->kind = WorkKind::kSet;
  item->set.destination = params.dst;
  item->set.value = params.value;
  item->set.element = params.elementSize;
  item->set.width = params.width;
  item->set.height = std::max<size_t>(params.height, 1);
  item->set.pitch = params.pitch;
  const bool good = params.elementSize == 1 || params.elementSize == 2 || params.elementSize == 4;
  return good && Classify(reinterpret_cast<void*>(params.dst)).kind != MemoryKind::kPageable ? CUDA_SUCCESS
                                                                                             : CUDA_ERROR_INVALID_VALUE;
}

CUresult ItemFromHost(const CUDA_HOST_NODE_PARAMS& params, WorkItem* item) {
  item->kind = WorkKind::kHost;
  item->host.function = params.fn;
  item->host.data = params.userData;
  return params.fn != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult ItemFromNode(const CUgraphNodeParams& params, WorkItem* item, Graph** child) {
  switch (params.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
      const auto& k = params.kernel;
      return ItemFromKernel({k.func, k.gridDimX, k.gridDimY, k.gridDimZ, k.blockDimX, k.blockDimY, k.blockDimZ,
                             k.sharedMemBytes, k.kernelParams, k.extra, k.kern, k.ctx},
                            item);
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return ItemFromCopy(params.memcpy.copyParams, item);
    case CU_GRAPH_NODE_TYPE_MEMSET: {
      const auto& s = params.memset;
      return ItemFromSet({s.dst, s.pitch, s.value, s.elementSize, s.width, s.height}, item);
    }
    case CU_GRAPH_NODE_TYPE_HOST:
      return ItemFromHost({params.host.fn, params.host.userData}, item);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return EventItem(params.eventRecord.event, WorkKind::kEventRecord, item);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return EventItem(params.eventWait.event, WorkKind::kEventWait, item);
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_GRAPH:
      *child = GraphFrom(params.graph.graph);
      return *child != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

bool NodesFrom(const CUgraphNode* handles, size_t count, std::vector<GraphNode*>* nodes) {
  for (size_t i = 0; i < count; ++i) {
    GraphNode* node = NodeFrom(handles[i]);
    if (node == nullptr) return false;
    nodes->push_back(node);
  }
  return true;
}

}  // namespace simgpu
