#include "simgpu/core/graph.h"

#include <algorithm>
#include <atomic>
#include <map>

#include "simgpu/core/context.h"
#include "simgpu/core/tool.h"

namespace simgpu {
namespace {

void SendNodeEvent(SimgpuResourceEventKind kind, Graph* graph, GraphNode* node, GraphNode* other) {
  if (graph->silent || !Wanted(SIMGPU_WANT_RESOURCE)) return;
  ResourceEvent event(kind, graph->context);
  event.graph = reinterpret_cast<CUgraph_st*>(graph);
  event.node = reinterpret_cast<CUgraphNode_st*>(node);
  if (node != nullptr) event.node_type = static_cast<uint32_t>(NodeType(*node));
  if (kind == SIMGPU_GRAPHNODE_CLONED) {
    event.original_node = reinterpret_cast<CUgraphNode_st*>(other);
    event.original_graph = reinterpret_cast<CUgraph_st*>(other->graph);
  } else {
    event.dependency = reinterpret_cast<CUgraphNode_st*>(other);
  }
  event.Send();
}

}  // namespace

uint32_t NextGraphId() {
  static std::atomic<uint32_t> next{1};
  return next.fetch_add(1);
}

Graph* CreateGraph(Context* context, Graph* cloned_from) {
  auto* graph = new Graph;
  graph->id = NextGraphId();
  graph->context = context;
  ResourceEvent event(cloned_from != nullptr ? SIMGPU_GRAPH_CLONED : SIMGPU_GRAPH_CREATED, context);
  event.graph = reinterpret_cast<CUgraph_st*>(graph);
  event.original_graph = reinterpret_cast<CUgraph_st*>(cloned_from);
  event.Send();
  return graph;
}

void DestroyGraph(Graph* graph) {
  ResourceEvent event(SIMGPU_GRAPH_DESTROY_STARTING, graph->context);
  event.graph = reinterpret_cast<CUgraph_st*>(graph);
  event.Send();
  while (!graph->nodes.empty()) DestroyNode(graph->nodes.back());
  graph->magic = 0;
}

GraphNode* AddNode(Graph* graph, WorkItem item, Graph* child, const std::vector<GraphNode*>& dependencies,
                   GraphNode* copied_from) {
  static std::atomic<uint64_t> next_id{1};
  auto* node = new GraphNode;
  node->id = next_id.fetch_add(1);
  node->graph = graph;
  node->item = std::move(item);
  node->child = child;
  if (copied_from == nullptr) SendNodeEvent(SIMGPU_GRAPHNODE_CREATE_STARTING, graph, node, nullptr);
  graph->nodes.push_back(node);
  SendNodeEvent(copied_from != nullptr ? SIMGPU_GRAPHNODE_CLONED : SIMGPU_GRAPHNODE_CREATED, graph, node, copied_from);
  for (GraphNode* dependency : dependencies) AddDependency(dependency, node);
  return node;
}

void AddDependency(GraphNode* from, GraphNode* to) {
  if (std::find(to->dependencies.begin(), to->dependencies.end(), from) != to->dependencies.end()) return;
  to->dependencies.push_back(from);
  from->dependents.push_back(to);
  SendNodeEvent(SIMGPU_GRAPHNODE_DEPENDENCY_CREATED, to->graph, to, from);
}

bool RemoveDependency(GraphNode* from, GraphNode* to) {
  if (std::erase(to->dependencies, from) == 0) return false;
  std::erase(from->dependents, to);
  SendNodeEvent(SIMGPU_GRAPHNODE_DEPENDENCY_DESTROY_STARTING, to->graph, to, from);
  return true;
}

void DestroyNode(GraphNode* node) {
  SendNodeEvent(SIMGPU_GRAPHNODE_DESTROY_STARTING, node->graph, node, nullptr);
  for (GraphNode* dependency : node->dependencies) std::erase(dependency->dependents, node);
  for (GraphNode* dependent : node->dependents) std::erase(dependent->dependencies, node);
  std::erase(node->graph->nodes, node);
  node->magic = 0;
  node->item = WorkItem{};
}

Graph* CloneGraph(Graph* graph) {
  Graph* clone = CreateGraph(graph->context, graph);
  std::map<GraphNode*, GraphNode*> copies;
  for (GraphNode* node : TopologicalOrder(*graph)) {
    std::vector<GraphNode*> dependencies;
    for (GraphNode* dependency : node->dependencies) dependencies.push_back(copies[dependency]);
    Graph* child = node->child != nullptr ? CloneGraph(node->child) : nullptr;
    copies[node] = AddNode(clone, node->item, child, dependencies, node);
  }
  return clone;
}

std::vector<GraphNode*> TopologicalOrder(const Graph& graph) {
  std::vector<GraphNode*> order;
  std::map<const GraphNode*, size_t> missing;
  for (GraphNode* node : graph.nodes) {
    missing[node] = node->dependencies.size();
    if (node->dependencies.empty()) order.push_back(node);
  }
  for (size_t i = 0; i < order.size(); ++i) {
    for (GraphNode* dependent : order[i]->dependents) {
      if (--missing[dependent] == 0) order.push_back(dependent);
    }
  }
  return order;
}

CUgraphNodeType NodeType(const GraphNode& node) {
  if (node.child != nullptr) return CU_GRAPH_NODE_TYPE_GRAPH;
  switch (node.item.kind) {
    case WorkKind::kKernel:
      return CU_GRAPH_NODE_TYPE_KERNEL;
    case WorkKind::kCopy:
      return CU_GRAPH_NODE_TYPE_MEMCPY;
    case WorkKind::kSet:
      return CU_GRAPH_NODE_TYPE_MEMSET;
    case WorkKind::kHost:
      return CU_GRAPH_NODE_TYPE_HOST;
    case WorkKind::kEventRecord:
      return CU_GRAPH_NODE_TYPE_EVENT_RECORD;
    case WorkKind::kEventWait:
      return CU_GRAPH_NODE_TYPE_WAIT_EVENT;
    case WorkKind::kAllocate:
      return CU_GRAPH_NODE_TYPE_MEM_ALLOC;
    case WorkKind::kFree:
      return CU_GRAPH_NODE_TYPE_MEM_FREE;
    case WorkKind::kEmpty:
      break;
  }
  return CU_GRAPH_NODE_TYPE_EMPTY;
}

Graph* GraphFrom(CUgraph handle) {
  auto* graph = reinterpret_cast<Graph*>(handle);
  return graph != nullptr && graph->magic == Graph::kMagic ? graph : nullptr;
}

GraphNode* NodeFrom(CUgraphNode handle) {
  auto* node = reinterpret_cast<GraphNode*>(handle);
  return node != nullptr && node->magic == GraphNode::kMagic ? node : nullptr;
}

}  // namespace simgpu
