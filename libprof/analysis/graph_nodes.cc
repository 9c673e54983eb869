#include "analysis/graph_nodes.h"

#include <memory>

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

void GraphNodes::AddRecord(record::ProcessIndex process, uint32_t graph_id, record::CorrelationId correlation,
                           uint64_t node_id) {
  Graph& graph = Find({process, graph_id});
  if (graph.learned_over > kLearnOver) return;
  if (correlation != graph.last_correlation) {
    graph.last_correlation = correlation;
    ++graph.learned_over;
  }
  graph.nodes.insert(node_id);
}

void GraphNodes::AddLaunch(record::ProcessIndex process, const Launch& launch) {
  if (launch.graph_id == 0 || launch.captured) return;
  Graph& graph = Find({process, launch.graph_id});
  ++graph.launches;
  graph.records += launch.gpu_records;
}

uint64_t GraphNodes::expected() const {
  uint64_t sum = 0;
  for (const auto& [key, graph] : graphs_) sum += graph->launches * graph->nodes.size();
  return sum;
}

uint64_t GraphNodes::missing() const {
  uint64_t sum = 0;
  for (const auto& [key, graph] : graphs_) {
    const uint64_t whole = graph->launches * graph->nodes.size();
    if (whole > graph->records) sum += whole - graph->records;
  }
  return sum;
}

}  // namespace slowtoken::analysis
