// Graphs: building and asking.
#include "simgpu/core/graph.h"

#include <algorithm>
#include <fstream>

#include "simgpu/core/event.h"
#include "simgpu/driver/driver_scope.h"
#include "simgpu/driver/graph_params.h"

namespace simgpu {
namespace {

CUresult Add(CUgraphNode* out, CUgraph handle, const CUgraphNode* dependencies, size_t count, WorkItem item,
             Graph* child = nullptr) {
  Graph* graph = GraphFrom(handle);
  std::vector<GraphNode*> nodes;
  if (graph == nullptr || out == nullptr || !NodesFrom(dependencies, count, &nodes)) return CUDA_ERROR_INVALID_VALUE;
  *out = NodeHandle(AddNode(graph, std::move(item), child, nodes));
  return CUDA_SUCCESS;
}

CUresult AddEvent(CUgraphNode* out, CUgraph graph, const CUgraphNode* dependencies, size_t count, CUevent event,
                  WorkKind kind) {
  WorkItem item;
  item.kind = kind;
  item.event = EventFrom(event);
  return item.event != nullptr ? Add(out, graph, dependencies, count, std::move(item)) : CUDA_ERROR_INVALID_VALUE;
}

// The query convention of graph calls: with no array, *count is the total; else it is the capacity, and missing entries
// become NULL.
CUresult List(const std::vector<GraphNode*>& nodes, CUgraphNode* out, size_t* count) {
  if (out == nullptr) {
    *count = nodes.size();
    return CUDA_SUCCESS;
  }
  for (size_t i = 0; i < *count; ++i) out[i] = i < nodes.size() ? NodeHandle(nodes[i]) : nullptr;
  *count = std::min(*count, nodes.size());
  return CUDA_SUCCESS;
}

GraphNode* KernelNode(CUgraphNode handle) {
  GraphNode* node = NodeFrom(handle);
  return node != nullptr && node->item.kind == WorkKind::kKernel ? node : nullptr;
}

}  // namespace

SIMGPU_DRIVER(cuGraphCreate)(CUgraph* out, unsigned flags) {
  if (out == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  *out = GraphHandle(CreateGraph(CurrentContext()));
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuGraphDestroy)(CUgraph handle) {
  Graph* graph = GraphFrom(handle);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  DestroyGraph(graph);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuGraphClone)(CUgraph* out, CUgraph handle) {
  Graph* graph = GraphFrom(handle);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *out = GraphHandle(CloneGraph(graph));
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuGraphAddKernelNode_v2)
(CUgraphNode* out, CUgraph graph, const CUgraphNode* dependencies, size_t count,
 const CUDA_KERNEL_NODE_PARAMS* params) {
  WorkItem item;
  if (const CUresult bad = ItemFromKernel(*params, &item); bad != CUDA_SUCCESS) return bad;
  return Add(out, graph, dependencies, count, std::move(item));
}

SIMGPU_DRIVER(cuGraphAddMemcpyNode)
(CUgraphNode* out, CUgraph graph, const CUgraphNode* dependencies, size_t count, const CUDA_MEMCPY3D* params,
 CUcontext) {
  WorkItem item;
  if (const CUresult bad = ItemFromCopy(*params, &item); bad != CUDA_SUCCESS) return bad;
  return Add(out, graph, dependencies, count, std::move(item));
}

SIMGPU_DRIVER(cuGraphAddMemsetNode)
(CUgraphNode* out, CUgraph graph, const CUgraphNode* dependencies, size_t count, const CUDA_MEMSET_NODE_PARAMS* params,
 CUcontext) {
  WorkItem item;
  if (const CUresult bad = ItemFromSet(*params, &item); bad != CUDA_SUCCESS) return bad;
  return Add(out, graph, dependencies, count, std::move(item));
}

SIMGPU_DRIVER(cuGraphAddHostNode)
(CUgraphNode* out, CUgraph graph, const CUgraphNode* dependencies, size_t count, const CUDA_HOST_NODE_PARAMS* params) {
  WorkItem item;
  if (const CUresult bad = ItemFromHost(*params, &item); bad != CUDA_SUCCESS) return bad;
  return Add(out, graph, dependencies, count, std::move(item));
}

SIMGPU_DRIVER(cuGraphAddEmptyNode)(CUgraphNode* out, CUgraph graph, const CUgraphNode* dependencies, size_t count) {
  return Add(out, graph, dependencies, count, WorkItem{});
}

// The child is cloned into its parent, as documented.
SIMGPU_DRIVER(cuGraphAddChildGraphNode)
(CUgraphNode* out, CUgraph graph, const CUgraphNode* dependencies, size_t count, CUgraph child_handle) {
  Graph* child = GraphFrom(child_handle);
  if (child == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return Add(out, graph, dependencies, count, WorkItem{}, CloneGraph(child));
}

SIMGPU_DRIVER(cuGraphAddEventRecordNode)
(CUgraphNode* out, CUgraph graph, const CUgraphNode* dependencies, size_t count, CUevent event) {
  return AddEvent(out, graph, dependencies, count, event, WorkKind::kEventRecord);
}

SIMGPU_DRIVER(cuGraphAddEventWaitNode)
(CUgraphNode* out, CUgraph graph, const CUgraphNode* dependencies, size_t count, CUevent event) {
  return AddEvent(out, graph, dependencies, count, event, WorkKind::kEventWait);
}

SIMGPU_DRIVER(cuGraphAddNode_v2)
(CUgraphNode* out, CUgraph graph, const CUgraphNode* dependencies, const CUgraphEdgeData*, size_t count,
 CUgraphNodeParams* params) {
  WorkItem item;
  Graph* child = nullptr;
  if (const CUresult bad = ItemFromNode(*params, &item, &child); bad != CUDA_SUCCESS) return bad;
  return Add(out, graph, dependencies, count, std::move(item), child != nullptr ? CloneGraph(child) : nullptr);
}

SIMGPU_DRIVER(cuGraphAddDependencies_v2)
(CUgraph, const CUgraphNode* from, const CUgraphNode* to, const CUgraphEdgeData*, size_t count) {
  std::vector<GraphNode*> sources, targets;
  if (!NodesFrom(from, count, &sources) || !NodesFrom(to, count, &targets)) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) AddDependency(sources[i], targets[i]);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuGraphRemoveDependencies_v2)
(CUgraph, const CUgraphNode* from, const CUgraphNode* to, const CUgraphEdgeData*, size_t count) {
  std::vector<GraphNode*> sources, targets;
  if (!NodesFrom(from, count, &sources) || !NodesFrom(to, count, &targets)) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    if (!RemoveDependency(sources[i], targets[i])) return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuGraphDestroyNode)(CUgraphNode handle) {
  GraphNode* node = NodeFrom(handle);
  if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  DestroyNode(node);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuGraphGetNodes)(CUgraph handle, CUgraphNode* out, size_t* count) {
  Graph* graph = GraphFrom(handle);
  return graph != nullptr ? List(graph->nodes, out, count) : CUDA_ERROR_INVALID_VALUE;
}

SIMGPU_DRIVER(cuGraphGetRootNodes)(CUgraph handle, CUgraphNode* out, size_t* count) {
  Graph* graph = GraphFrom(handle);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::vector<GraphNode*> roots;
  for (GraphNode* node : graph->nodes) {
    if (node->dependencies.empty()) roots.push_back(node);
  }
  return List(roots, out, count);
}

SIMGPU_DRIVER(cuGraphGetEdges_v2)
(CUgraph handle, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* edges, size_t* count) {
  Graph* graph = GraphFrom(handle);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::vector<GraphNode*> sources, targets;
  for (GraphNode* node : graph->nodes) {
    for (GraphNode* dependency : node->dependencies) {
      sources.push_back(dependency);
      targets.push_back(node);
    }
  }
  if (edges != nullptr) std::fill_n(edges, std::min(*count, sources.size()), CUgraphEdgeData{});
  size_t capacity = *count;
  List(sources, from, &capacity);
  return List(targets, to, count);
}

SIMGPU_DRIVER(cuGraphNodeGetDependencies_v2)
(CUgraphNode handle, CUgraphNode* out, CUgraphEdgeData* edges, size_t* count) {
  GraphNode* node = NodeFrom(handle);
  if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (edges != nullptr) std::fill_n(edges, std::min(*count, node->dependencies.size()), CUgraphEdgeData{});
  return List(node->dependencies, out, count);
}

SIMGPU_DRIVER(cuGraphNodeGetDependentNodes_v2)
(CUgraphNode handle, CUgraphNode* out, CUgraphEdgeData* edges, size_t* count) {
  GraphNode* node = NodeFrom(handle);
  if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (edges != nullptr) std::fill_n(edges, std::min(*count, node->dependents.size()), CUgraphEdgeData{});
  return List(node->dependents, out, count);
}

SIMGPU_DRIVER(cuGraphNodeGetType)(CUgraphNode handle, CUgraphNodeType* type) {
  GraphNode* node = NodeFrom(handle);
  if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *type = NodeType(*node);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuGraphChildGraphNodeGetGraph)(CUgraphNode handle, CUgraph* out) {
  GraphNode* node = NodeFrom(handle);
  if (node == nullptr || node->child == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *out = GraphHandle(node->child);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuGraphKernelNodeGetParams_v2)(CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS* params) {
  GraphNode* node = KernelNode(handle);
  if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *params = KernelFromItem(node->item);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuGraphKernelNodeSetParams_v2)(CUgraphNode handle, const CUDA_KERNEL_NODE_PARAMS* params) {
  GraphNode* node = KernelNode(handle);
  return node != nullptr ? ItemFromKernel(*params, &node->item) : CUDA_ERROR_INVALID_VALUE;
}

// Enough of a dot file to see the shape.
SIMGPU_DRIVER(cuGraphDebugDotPrint)(CUgraph handle, const char* path, unsigned) {
  Graph* graph = GraphFrom(handle);
  std::ofstream file(path);
  if (graph == nullptr || !file) return CUDA_ERROR_INVALID_VALUE;
  file << "digraph graph_" << graph->id << " {\n";
  for (const GraphNode* node : graph->nodes) {
    const char* name = node->item.kind == WorkKind::kKernel ? node->item.kernel.function->info.name.c_str() : "";
    file << "  n" << node->id << " [label=\"" << NodeType(*node) << ' ' << name << "\"];\n";
    for (const GraphNode* dependency : node->dependencies)
      file << "  n" << dependency->id << " -> n" << node->id << ";\n";
  }
  file << "}\n";
  return CUDA_SUCCESS;
}

}  // namespace simgpu
