// GraphNodes: are graph replays recorded whole? (bug log row 38: replays under-recorded, and a formula trusted.)
// A replay of a graph has a record for each of its nodes. The set of node ids is learned over the first replays of each
// graph; replays with fewer records add up to what is missing. An estimate: conditional or disabled nodes also count as
// missing. Fed per graph record and, by LaunchTable's sink, per launch. Single threaded, a few ns a record once
// learned.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <utility>

#include "analysis/launch_table.h"

namespace slowtoken::analysis {

class GraphNodes {
 public:
  void AddRecord(record::ProcessIndex process, uint32_t graph_id, record::CorrelationId correlation, uint64_t node_id);
  void AddLaunch(record::ProcessIndex process, const Launch& launch);

  uint64_t expected() const;  // node records if every replay had all
  uint64_t missing() const;   // expected minus seen, over the graphs with something missing

 private:
  struct Graph {
    absl::flat_hash_set<uint64_t> nodes;
    record::CorrelationId last_correlation = 0;
    uint32_t learned_over = 0;  // launches whose node ids went into `nodes`
    uint64_t launches = 0;
    uint64_t records = 0;
  };
  using Key = std::pair<record::ProcessIndex, uint32_t>;
  Graph& Find(Key key);

  absl::flat_hash_map<Key, std::unique_ptr<Graph>> graphs_;
  Key last_key_{};
  Graph* last_ = nullptr;
};

}  // namespace slowtoken::analysis
