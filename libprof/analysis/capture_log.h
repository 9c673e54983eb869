// CaptureLog: every capture of a stream into a graph that was recorded: which calls it took in, in order, and under
// which NVTX ranges each was made. From the API records of StreamBeginCapture and StreamEndCapture and of the calls
// between them that are flagged as captured (cupti/capture_spans.h). Fed while events stream by, sorted at each
// Advance. Single threaded; 32 bytes a captured call.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>
#include <vector>

#include "analysis/host_ranges.h"
#include "record/dictionary.h"
#include "record/host_events.h"

namespace slowtoken::analysis {

// What a captured call, or a node of a replay, is.
enum class NodeKind : uint8_t { kKernel, kCopy, kSet };

// Names of ranges, the outermost first.
using RangePath = std::vector<RangeName>;

struct Capture {
  record::ProcessIndex process = 0;
  uint64_t thread = 0;           // HostRanges::ThreadKey
  TimeNs begin = 0, end = 0;     // between the calls that begin and end it
  std::vector<NodeKind> kinds;   // of its nodes, in order of capture
  std::vector<TimeNs> calls;     // when each call began
  std::vector<RangePath> paths;  // of each node: ranges opened inside the capture
  bool joins_streams = false;    // it waited for an event of another stream
  bool holds_graphs = false;     // it took in other graphs, whose nodes are not known
  bool plain() const { return !joins_streams && !holds_graphs; }
};

class CaptureLog {
 public:
  CaptureLog(const record::Dictionary& dictionary, HostRanges& ranges) : dictionary_(&dictionary), ranges_(&ranges) {}

  void Add(const record::ApiCall& call);
  void Advance(TimeNs watermark);
  void Finish();

  // Those that ended, in order. Their paths are there a second of the trace later, or after Finish.
  const std::vector<Capture>& captures() const { return captures_; }

 private:
  enum class Step : uint8_t { kNotAsked, kOther, kBegin, kEnd };
  struct Call {
    TimeNs start = 0, end = 0;
    uint64_t thread = 0;
    record::CorrelationId correlation = 0;
    record::ProcessIndex process = 0;
    record::ApiClass api_class = record::ApiClass::kOther;
    Step step = Step::kOther;
  };
  struct Open {
    Capture capture;
    record::CorrelationId begun_by = 0, last = 0;
    bool open = false;
  };
  static constexpr uint64_t kSettle = 1'000'000'000;

  Step StepOf(record::StringId name);
  void Follow(const Call& call);
  static void AddNode(const Call& call, Open& open);
  void FindPaths(Capture& capture);

  const record::Dictionary* dictionary_;
  HostRanges* ranges_;
  std::vector<Step> step_of_name_;
  std::vector<Call> calls_;  // since the last Advance
  std::map<uint64_t, Open> open_;
  std::vector<Capture> captures_;
  size_t with_paths_ = 0;  // the first so many
};

}  // namespace slowtoken::analysis
