// CapturedRanges: under which NVTX ranges each node of a graph was captured, so that layers and phases stay visible
// inside a replay. CUPTI's records have nothing that ties a captured call to a node, and its call-backs, which have,
// would need the one subscription a process has. So the tie is the order: a graph captured from one stream is a chain,
// and a chain runs in the order of its capture. It is made only where that is certain as far as records go, and else
// the graph is opaque, with the reason; never guessed (docs/METRICS.md). Fed by a visitor over the events of all
// processes (TraceAnalysis, GraphPathSurvey); ask after Finish. Single threaded, offline.
#pragma once

#include <map>
#include <vector>

#include "analysis/capture_log.h"
#include "analysis/graph_replays.h"
#include "record/gpu_events.h"

namespace slowtoken::analysis {

enum class Opaque : uint8_t {
  kNo,
  kNoCapture,    // no capture was recorded before its first replay: captured before, or built node by node
  kNotRecorded,  // no replay has all nodes, or whole replays differ in their order
  kNoMatch,      // no capture has its nodes
  kBranches,     // a capture of several streams, or of graphs in graphs, could have been it
  kAmbiguous,    // captures that fit were made under different ranges
};
inline constexpr const char* kOpaqueNames[] = {"none",     "no_capture", "not_recorded",
                                               "no_match", "branches",   "ambiguous"};

class CapturedRanges {
 public:
  CapturedRanges(const record::Dictionary& dictionary, HostRanges& ranges) : captures_(dictionary, ranges) {}

  void Add(const record::ApiCall& call) { captures_.Add(call); }
  void Add(const record::Kernel& kernel);
  void Add(const record::Memcpy& copy);
  void Add(const record::Memset& set);
  void Advance(TimeNs watermark) { captures_.Advance(watermark); }

  // After the last event, and before the ranges finish.
  void Finish();

  struct Graph {
    Opaque opaque = Opaque::kNo;
    absl::flat_hash_map<uint64_t, RangePath> paths;  // by node
  };
  // Valid after Finish.
  const std::map<GraphReplays::GraphKey, Graph>& graphs() const { return graphs_; }
  const GraphReplays& replays() const { return replays_; }
  // The ranges around a node's capture; nullptr where it is opaque.
  const RangePath* PathOf(record::ProcessIndex process, uint32_t graph_id, uint64_t node_id) const;

 private:
  template <typename Record>
  void AddNode(const Record& record, NodeKind kind);
  Graph Match(record::ProcessIndex process, const GraphReplays::Graph& graph) const;

  CaptureLog captures_;
  GraphReplays replays_;
  std::map<GraphReplays::GraphKey, Graph> graphs_;
};

}  // namespace slowtoken::analysis
