// GraphReplays: what the replays of each graph consist of: its nodes in the order in which they run, and how much GPU
// time each took. Fed with graph nodes' records, of several replays at once and in any order. Single threaded; about
// 20 ns a record; memory for the nodes of each graph, and for the records of its first kLearnFrom replays.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <optional>
#include <utility>
#include <vector>

#include "analysis/capture_log.h"

namespace slowtoken::analysis {

struct NodeRecord {
  record::ProcessIndex process = 0;
  uint32_t graph_id = 0;
  uint64_t node_id = 0;
  record::CorrelationId correlation = 0;
  TimeNs start = 0, end = 0;
  NodeKind kind = NodeKind::kKernel;
};

class GraphReplays {
 public:
  using GraphKey = std::pair<record::ProcessIndex, uint32_t>;
  struct NodeTime {
    uint64_t count = 0, total_ns = 0, max_ns = 0;
    NodeKind kind = NodeKind::kKernel;
  };
  struct Graph {
    absl::flat_hash_map<uint64_t, NodeTime> nodes;
    TimeNs first_start = kLastTime, last_start = 0;  // of its nodes

    // The nodes as they run. nullopt: whole replays differ in it, or nodes came beside those of a whole replay.
    std::optional<std::vector<uint64_t>> Order() const;

   private:
    friend class GraphReplays;
    struct Seen {
      TimeNs start = 0;
      uint64_t node_id = 0;
    };
    struct Replay {
      record::CorrelationId correlation = 0;
      std::vector<Seen> nodes;
    };
    std::vector<Replay> learned;
  };

  // A record whose times can be true.
  void Add(const NodeRecord& record);

  const absl::flat_hash_map<GraphKey, Graph>& graphs() const { return graphs_; }

 private:
  static constexpr size_t kLearnFrom = 4;
  absl::flat_hash_map<GraphKey, Graph> graphs_;
};

}  // namespace slowtoken::analysis
