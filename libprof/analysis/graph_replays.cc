#include "analysis/graph_replays.h"

#include <algorithm>

namespace slowtoken::analysis {

void GraphReplays::Add(const NodeRecord& record) {
  Graph& graph = graphs_[{record.process, record.graph_id}];
  NodeTime& time = graph.nodes[record.node_id];
  time.kind = record.kind;
  ++time.count;
  time.total_ns += record.end - record.start;
  time.max_ns = std::max(time.max_ns, record.end - record.start);
  graph.first_start = std::min(graph.first_start, record.start);
  graph.last_start = std::max(graph.last_start, record.start);
  auto replay = std::find_if(graph.learned.rbegin(), graph.learned.rend(),
                             [&](const Graph::Replay& known) { return known.correlation == record.correlation; });
  if (replay == graph.learned.rend()) {
    if (graph.learned.size() == kLearnFrom) return;
    graph.learned.push_back({record.correlation, {}});
    replay = graph.learned.rbegin();
  }
  replay->nodes.push_back({record.start, record.node_id});
}

std::optional<std::vector<uint64_t>> GraphReplays::Graph::Order() const {
  std::optional<std::vector<uint64_t>> order;
  for (const Replay& replay : learned) {
    if (replay.nodes.size() != nodes.size()) continue;  // not recorded whole
    std::vector<Seen> sorted = replay.nodes;
    std::stable_sort(sorted.begin(), sorted.end(), [](const Seen& a, const Seen& b) { return a.start < b.start; });
    std::vector<uint64_t> ids;
    ids.reserve(sorted.size());
    for (const Seen& seen : sorted) ids.push_back(seen.node_id);
    if (order && *order != ids) return std::nullopt;
    order = std::move(ids);
  }
  return order;
}

}  // namespace slowtoken::analysis
