// Graphs as the program builds them: nodes with dependencies. A graph is used by one thread at a time, as CUDA asks.
// Every structural change is told to the tool. Destroyed graphs and nodes lose their magic and are kept, so that stale
// handles are refused.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "simgpu/core/work_item.h"

namespace simgpu {

struct Graph;

struct GraphNode {
  static constexpr uint32_t kMagic = 0x4e4f4445;

  uint32_t magic = kMagic;
  uint64_t id = 0;  // unique in the process
  Graph* graph = nullptr;
  WorkItem item;
  Graph* child = nullptr;  // child graph node
  std::vector<GraphNode*> dependencies;
  std::vector<GraphNode*> dependents;
};

struct Graph {
  static constexpr uint32_t kMagic = 0x47524150;

  uint32_t magic = kMagic;
  uint32_t id = 0;
  Context* context = nullptr;
  std::vector<GraphNode*> nodes;  // in order of creation
  bool silent = false;            // scratch of an update: not told to the tool
};

Graph* CreateGraph(Context* context, Graph* cloned_from = nullptr);
void DestroyGraph(Graph* graph);
// Adds a node and its dependencies. `copied_from`: the node was cloned (reported as GRAPHNODE_CLONED).
GraphNode* AddNode(Graph* graph, WorkItem item, Graph* child, const std::vector<GraphNode*>& dependencies,
                   GraphNode* copied_from = nullptr);
void AddDependency(GraphNode* from, GraphNode* to);
bool RemoveDependency(GraphNode* from, GraphNode* to);
void DestroyNode(GraphNode* node);
Graph* CloneGraph(Graph* graph);
// The nodes in an order in which dependencies come first; stable in order of creation. Shorter than `nodes` if there is
// a cycle.
std::vector<GraphNode*> TopologicalOrder(const Graph& graph);
CUgraphNodeType NodeType(const GraphNode& node);

Graph* GraphFrom(CUgraph handle);
GraphNode* NodeFrom(CUgraphNode handle);
uint32_t NextGraphId();
inline CUgraph GraphHandle(Graph* graph) { return reinterpret_cast<CUgraph>(graph); }
inline CUgraphNode NodeHandle(GraphNode* node) { return reinterpret_cast<CUgraphNode>(node); }

}  // namespace simgpu
