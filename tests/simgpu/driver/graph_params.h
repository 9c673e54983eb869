// Conversions between the driver's node parameter structs and work items.
#pragma once

#include <cuda.h>

#include <vector>

#include "simgpu/core/graph.h"
#include "simgpu/core/work_item.h"

namespace simgpu {

CUresult ItemFromKernel(const CUDA_KERNEL_NODE_PARAMS& params, WorkItem* item);
CUresult ItemFromCopy(const CUDA_MEMCPY3D& params, WorkItem* item);
CUresult ItemFromSet(const CUDA_MEMSET_NODE_PARAMS& params, WorkItem* item);
CUresult ItemFromHost(const CUDA_HOST_NODE_PARAMS& params, WorkItem* item);
// The generic form of cuGraphAddNode_v2. `child`: set for a child graph node.
CUresult ItemFromNode(const CUgraphNodeParams& params, WorkItem* item, Graph** child);
CUDA_KERNEL_NODE_PARAMS KernelFromItem(const WorkItem& item);
CopyWork CopyFrom3D(const CUDA_MEMCPY3D& params);
// False if one of the handles is bad.
bool NodesFrom(const CUgraphNode* handles, size_t count, std::vector<GraphNode*>* nodes);

}  // namespace simgpu
