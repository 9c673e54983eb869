// Executable graphs: a flat, topologically ordered copy of a graph (child graphs expanded), whose nodes have ids of
// their own. Launch costs one queue entry; node times are computed at once. No lock held by the callers.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "simgpu/core/graph.h"
#include "simgpu/core/work.h"

namespace simgpu {

struct GraphExec {
  static constexpr uint32_t kMagic = 0x45584543;

  struct Node {
    GraphNode* node = nullptr;  // the clone: carries id and work
    bool enabled = true;
    bool marker = false;  // entry or exit of a child graph: no record, no id of interest
  };

  uint32_t magic = kMagic;
  uint32_t id = 0;
  Context* context = nullptr;
  Graph* flat = nullptr;  // owns the clones
  std::vector<Node> nodes;
  std::shared_ptr<GraphRun::Topology> topology = std::make_shared<GraphRun::Topology>();  // constant once launched
  std::map<const GraphNode*, uint32_t> by_original;
  bool has_host_nodes = false;
  bool has_points = false;
};

// CUDA_ERROR_INVALID_VALUE for a cyclic graph.
CUresult Instantiate(Graph* graph, GraphExec** out);
void DestroyExec(GraphExec* exec);
CUresult LaunchExec(GraphExec* exec, Stream* stream);
// Takes over the parameters of `graph` if it has the same shape.
CUgraphExecUpdateResult UpdateExec(GraphExec* exec, Graph* graph, GraphNode** error_node);
// The executable node made from `original`, or nullptr.
GraphExec::Node* ExecNodeOf(GraphExec* exec, const GraphNode* original);
GraphExec* ExecFrom(CUgraphExec handle);

}  // namespace simgpu
