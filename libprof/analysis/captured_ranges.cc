#include "analysis/captured_ranges.h"

#include <algorithm>

namespace slowtoken::analysis {
namespace {

// What both end with: the innermost ranges that are the same.
RangePath CommonEnd(const RangePath& a, const RangePath& b) {
  const auto [in_a, in_b] = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  return RangePath(in_a.base(), a.end());
}

using Captures = std::vector<const Capture*>;

// Captures of the process from which the graph can have been made, or updated while it was in use; none if all of them
// came after it first ran.
Captures SourcesOf(record::ProcessIndex process, const GraphReplays::Graph& graph, const std::vector<Capture>& all) {
  Captures sources;
  bool made = false;
  for (const Capture& capture : all) {
    if (capture.process != process || capture.end >= graph.last_start) continue;
    sources.push_back(&capture);
    made |= capture.end < graph.first_start;
  }
  return made ? sources : Captures();
}

// The paths on which all agree, from the innermost range outwards; empty where they agree on nothing.
std::vector<RangePath> Agreed(const Captures& fitting) {
  std::vector<RangePath> paths = fitting.front()->paths;
  for (const Capture* capture : fitting) {
    for (size_t i = 0; i < paths.size(); ++i) {
      RangePath common = CommonEnd(paths[i], capture->paths[i]);
      const bool differ = paths[i] != capture->paths[i];
      if (differ && common.empty()) return {};
      paths[i] = std::move(common);
    }
  }
  return paths;
}

}  // namespace

template <typename Record>
void CapturedRanges::AddNode(const Record& record, NodeKind kind) {
  if (record.graph_node_id == 0 || !IsInterval(record.start, record.end)) return;
  replays_.Add(
      {record.process, record.graph_id, record.graph_node_id, record.correlation, record.start, record.end, kind});
}

void CapturedRanges::Add(const record::Kernel& kernel) { AddNode(kernel, NodeKind::kKernel); }
void CapturedRanges::Add(const record::Memcpy& copy) { AddNode(copy, NodeKind::kCopy); }
void CapturedRanges::Add(const record::Memset& set) { AddNode(set, NodeKind::kSet); }

void CapturedRanges::Finish() {
  captures_.Finish();
  for (const auto& [key, graph] : replays_.graphs()) graphs_[key] = Match(key.first, graph);
}

CapturedRanges::Graph CapturedRanges::Match(record::ProcessIndex process, const GraphReplays::Graph& graph) const {
  const Captures sources = SourcesOf(process, graph, captures_.captures());
  if (sources.empty()) return {.opaque = Opaque::kNoCapture, .paths = {}};
  const auto order = graph.Order();
  if (!order) return {.opaque = Opaque::kNotRecorded, .paths = {}};
  std::vector<NodeKind> kinds;
  for (const uint64_t id : *order) kinds.push_back(graph.nodes.at(id).kind);
  Captures fitting;
  bool branches = false;
  for (const Capture* capture : sources) {
    if (!capture->plain()) {
      branches |= capture->kinds == kinds || (capture->holds_graphs && capture->kinds.size() < kinds.size());
    } else if (capture->kinds == kinds) {
      fitting.push_back(capture);
    }
  }
  if (branches) return {.opaque = Opaque::kBranches, .paths = {}};
  if (fitting.empty()) return {.opaque = Opaque::kNoMatch, .paths = {}};
  const std::vector<RangePath> paths = Agreed(fitting);
  if (paths.size() != order->size()) return {.opaque = Opaque::kAmbiguous, .paths = {}};
  Graph known;
  for (size_t i = 0; i < paths.size(); ++i) known.paths[(*order)[i]] = paths[i];
  return known;
}

const RangePath* CapturedRanges::PathOf(record::ProcessIndex process, uint32_t graph_id, uint64_t node_id) const {
  const auto graph = graphs_.find({process, graph_id});
  if (graph == graphs_.end()) return nullptr;
  const auto path = graph->second.paths.find(node_id);
  return path == graph->second.paths.end() ? nullptr : &path->second;
}

}  // namespace slowtoken::analysis
