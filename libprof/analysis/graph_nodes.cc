#include "analysis/graph_nodes.h"

namespace slowtoken::analysis {
namespace {

// Enough replays to see every node even when nine records in ten are lost.
constexpr uint32_t kLearnOver = 64;

}  // namespace

GraphNodes::Graph& GraphNodes::Find(Key key) {
  if (last_ != nullptr && key == last_key_) return *last_;
  std::unique_ptr<Graph>& graph = graphs_[key];
  if (graph == nullptr) graph = std::make_unique<Graph>();
  last_key_ = key;
  last_ = graph.get();
  return *last_;
}

bool GraphNodes::Graph::IsNew(record::CorrelationId correlation) const {
  for (uint64_t i = replays; i > 0 && i + kRecent > replays; --i) {
    if (recent[(i - 1) % kRecent] == correlation) return false;
  }
  return true;
}

void GraphNodes::Add(record::ProcessIndex process, uint32_t graph_id, record::CorrelationId correlation,
                     uint64_t node_id) {
  Graph& graph = Find({process, graph_id});
  ++graph.records;
  if (graph.IsNew(correlation)) graph.recent[graph.replays++ % kRecent] = correlation;
  if (graph.replays <= kLearnOver) graph.nodes.insert(node_id);
}

uint64_t GraphNodes::expected() const {
  uint64_t sum = 0;
  for (const auto& [key, graph] : graphs_) sum += graph->replays * graph->nodes.size();
  return sum;
}

uint64_t GraphNodes::missing() const {
  uint64_t sum = 0;
  for (const auto& [key, graph] : graphs_) {
    const uint64_t whole = graph->replays * graph->nodes.size();
    if (whole > graph->records) sum += whole - graph->records;
  }
  return sum;
}

}  // namespace slowtoken::analysis
