#include "simgpu/core/graph_exec.h"

#include "simgpu/core/capture.h"
#include "simgpu/core/context.h"
#include "simgpu/core/event.h"
#include "simgpu/core/records.h"
#include "simgpu/core/timeline.h"

namespace simgpu {
namespace {

// Expands `graph` into exec->nodes. `entry`: indices every root depends on. Returns the indices of its leaves.
class Flattener {
 public:
  explicit Flattener(GraphExec* exec) : exec_(exec) {}

  bool Expand(Graph* graph, const std::vector<uint32_t>& entry, std::vector<uint32_t>* leaves) {
    std::vector<GraphNode*> order = TopologicalOrder(*graph);
    if (order.size() != graph->nodes.size()) return false;
    std::map<const GraphNode*, uint32_t> index;
    for (GraphNode* node : order) {
      std::vector<uint32_t> dependencies;
      for (const GraphNode* dependency : node->dependencies) dependencies.push_back(index[dependency]);
      if (dependencies.empty()) dependencies = entry;
      if (node->child != nullptr) {
        std::vector<uint32_t> inner;
        if (!Expand(node->child, dependencies, &inner)) return false;
        if (inner.empty()) inner = dependencies;
        index[node] = Append(node, std::move(inner), true);
      } else {
        index[node] = Append(node, std::move(dependencies), false);
      }
      if (node->dependents.empty()) leaves->push_back(index[node]);
    }
    return true;
  }

 private:
  uint32_t Append(GraphNode* original, std::vector<uint32_t> dependencies, bool marker) {
    GraphExec::Node node;
    node.node = AddNode(exec_->flat, original->item, nullptr, {}, original);
    exec_->topology->push_back(std::move(dependencies));
    node.marker = marker;
    exec_->has_host_nodes |= original->item.kind == WorkKind::kHost;
    exec_->has_points |= original->item.kind == WorkKind::kEventRecord;
    exec_->nodes.push_back(std::move(node));
    const auto index = static_cast<uint32_t>(exec_->nodes.size() - 1);
    exec_->by_original[original] = index;
    return index;
  }

  GraphExec* exec_;
};

void SendExecEvent(SimgpuResourceEventKind kind, GraphExec* exec, Graph* graph) {
  ResourceEvent event(kind, exec->context);
  event.graph = reinterpret_cast<CUgraph_st*>(graph);
  event.exec = reinterpret_cast<CUgraphExec_st*>(exec);
  event.Send();
}

void* ReserveTrace(GraphExec* exec, Stream* stream) {
  if (!Wanted(SIMGPU_WANT_GRAPH_TRACE)) return nullptr;
  SimgpuRecord record = NewRecord(SIMGPU_RECORD_GRAPH_TRACE, stream);
  record.graph_id = exec->id;
  return ReserveSlot(record);
}

bool SameShape(const GraphExec& a, const GraphExec& b, size_t i) {
  return (*a.topology)[i] == (*b.topology)[i] && NodeType(*a.nodes[i].node) == NodeType(*b.nodes[i].node);
}

}  // namespace

CUresult Instantiate(Graph* graph, GraphExec** out) {
  auto* exec = new GraphExec;
  exec->id = NextGraphId();
  exec->context = graph->context;
  SendExecEvent(SIMGPU_GRAPHEXEC_CREATE_STARTING, exec, graph);
  exec->flat = CreateGraph(graph->context, graph);
  std::vector<uint32_t> leaves;
  if (!Flattener(exec).Expand(graph, {}, &leaves)) {
    DestroyGraph(exec->flat);
    return CUDA_ERROR_INVALID_VALUE;
  }
  SendExecEvent(SIMGPU_GRAPHEXEC_CREATED, exec, graph);
  *out = exec;
  return CUDA_SUCCESS;
}

void DestroyExec(GraphExec* exec) {
  SendExecEvent(SIMGPU_GRAPHEXEC_DESTROY_STARTING, exec, exec->flat);
  DestroyGraph(exec->flat);
  exec->magic = 0;
  exec->nodes.clear();
  exec->by_original.clear();
}

CUresult LaunchExec(GraphExec* exec, Stream* stream) {
  if (stream->capturing.load()) return CaptureExec(stream, exec);
  Op op;
  op.step.slot = ReserveTrace(exec, stream);
  auto run = std::make_unique<GraphRun>();
  run->has_host_nodes = exec->has_host_nodes;
  run->has_points = exec->has_points;
  run->topology = exec->topology;
  run->nodes.resize(exec->nodes.size());
  run->order.reserve(exec->nodes.size());
  for (size_t i = 0; i < exec->nodes.size(); ++i) {
    const GraphExec::Node& node = exec->nodes[i];
    if (node.enabled && !node.marker) run->nodes[i] = MakeStep(node.node->item, stream, {exec->id, node.node->id});
    if (node.node->item.kind != WorkKind::kEventWait) continue;
    if (auto point = node.node->item.event->Point(); point && point->stream != nullptr) {
      op.dependencies.push_back({point->stream, point->sequence});
    }
  }
  op.graph = std::move(run);
  TheTimeline().Submit(stream, std::move(op));
  return CUDA_SUCCESS;
}

CUgraphExecUpdateResult UpdateExec(GraphExec* exec, Graph* graph, GraphNode** error_node) {
  *error_node = nullptr;
  GraphExec fresh;
  fresh.context = exec->context;
  Graph scratch;
  scratch.context = exec->context;
  scratch.silent = true;
  fresh.flat = &scratch;
  std::vector<uint32_t> leaves;
  const bool valid = Flattener(&fresh).Expand(graph, {}, &leaves) && fresh.nodes.size() == exec->nodes.size();
  CUgraphExecUpdateResult result = valid ? CU_GRAPH_EXEC_UPDATE_SUCCESS : CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  for (size_t i = 0; result == CU_GRAPH_EXEC_UPDATE_SUCCESS && i < fresh.nodes.size(); ++i) {
    if (SameShape(*exec, fresh, i)) continue;
    result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    for (auto& [original, index] : fresh.by_original) {
      if (index == i) *error_node = const_cast<GraphNode*>(original);
    }
  }
  if (result == CU_GRAPH_EXEC_UPDATE_SUCCESS) {
    for (size_t i = 0; i < fresh.nodes.size(); ++i) exec->nodes[i].node->item = fresh.nodes[i].node->item;
    exec->by_original.insert(fresh.by_original.begin(), fresh.by_original.end());
  }
  for (GraphNode* node : scratch.nodes) delete node;
  return result;
}

GraphExec::Node* ExecNodeOf(GraphExec* exec, const GraphNode* original) {
  auto found = exec->by_original.find(original);
  return found == exec->by_original.end() ? nullptr : &exec->nodes[found->second];
}

GraphExec* ExecFrom(CUgraphExec handle) {
  auto* exec = reinterpret_cast<GraphExec*>(handle);
  return exec != nullptr && exec->magic == GraphExec::kMagic ? exec : nullptr;
}

}  // namespace simgpu
