// GraphPaths: the ranges that graph nodes were captured under, as text ("layer 3/attention"), for those who show events
// one by one: `why`, exports. Made from CapturedRanges, whose trace it survives; found by TraceAnalysis
// beside a report, by GraphPathSurvey in a reading of its own. Single threaded, offline.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>
#include <tuple>

#include "analysis/captured_ranges.h"

namespace slowtoken::analysis {

// Joined by `/`; empty for a node that was captured outside any range. Safe.
std::string PathText(const RangePath& path, const record::Dictionary& dictionary);
// Every number as `#`: "layer #/attention".
std::string WithoutNumbers(std::string_view path);

class GraphPaths {
 public:
  GraphPaths() = default;
  GraphPaths(const CapturedRanges& ranges, const record::Dictionary& dictionary);

  // nullptr where the graph is opaque, or the node was captured outside any range.
  const std::string* Of(record::ProcessIndex process, uint32_t graph_id, uint64_t node_id) const {
    if (node_id == 0) return nullptr;
    const auto path = paths_.find({process, graph_id, node_id});
    return path == paths_.end() ? nullptr : &path->second;
  }

 private:
  absl::flat_hash_map<std::tuple<record::ProcessIndex, uint32_t, uint64_t>, std::string> paths_;
};

}  // namespace slowtoken::analysis
