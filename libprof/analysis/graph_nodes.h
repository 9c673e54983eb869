// GraphNodes: are graph replays recorded whole? (bug log row 38: replays under-recorded, and a formula trusted.)
// A replay of a graph has a record for each of its nodes. The set of node ids is learned over the first replays of each
// graph; replays with fewer records add up to what is missing. An estimate: conditional or disabled nodes also count as
// missing. Fed with each graph node's record. Single threaded, a few ns a record once learned.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "record/ids.h"

namespace slowtoken::analysis {

class GraphNodes {
 public:
  void Add(record::ProcessIndex process, uint32_t graph_id, record::CorrelationId correlation, uint64_t node_id);

  uint64_t expected() const;  // node records if every replay had all
  uint64_t missing() const;   // expected minus seen, over the graphs with something missing

 private:
  // Replays whose records may still come: as many as run or wait at once.
  static constexpr size_t kRecent = 64;
  struct Graph {
    absl::flat_hash_set<uint64_t> nodes;                  // of the first kLearnOver replays
    std::array<record::CorrelationId, kRecent> recent{};  // the newest replays, a ring
    uint64_t replays = 0;
    uint64_t records = 0;

    bool IsNew(record::CorrelationId correlation) const;
  };
  using Key = std::pair<record::ProcessIndex, uint32_t>;
  Graph& Find(Key key);

  absl::flat_hash_map<Key, std::unique_ptr<Graph>> graphs_;
  Key last_key_{};
  Graph* last_ = nullptr;
};

}  // namespace slowtoken::analysis
