// GraphTracker: what the notes of graph building add up to: which calls were captured, and how many kernels, copies and
// memsets one launch of an executable graph starts. Worker only; bounded tables; a few ns a note.
// The count is that of the nodes cloned into the executable graph while its thread instantiated it. It is unknown (0)
// for graphs instantiated before we were attached, and it does not follow cudaGraphNodeSetEnabled.
#pragma once

#include "base/flat_map.h"
#include "cupti/captured_calls.h"
#include "cupti/graph_notes.h"

namespace slowtoken::cupti {

class GraphTracker {
 public:
  bool Init(base::Arena& arena);

  // Takes all notes in. `clock_offset` is CUPTI's clock minus CLOCK_REALTIME (0 but for platforms with another clock).
  void Drain(GraphNotes& notes, int64_t clock_offset);

  // True if `thread` captured something between the two CUPTI stamps.
  bool Captured(record::ThreadId thread, uint64_t start, uint64_t end) const {
    return captured_.Contains(thread, start, end);
  }

  // Kernels, copies and memsets in one launch of the executable graph, 0 if unknown.
  uint32_t WorkNodes(uint32_t graph_id) const;

 private:
  static constexpr size_t kGraphs = 4096;
  static constexpr size_t kThreads = 64;

  void Take(const GraphNote& note, int64_t clock_offset);
  void FinishExec(const GraphNote& note);

  CapturedCalls captured_;
  base::FlatMap<uint32_t, uint32_t> nodes_;     // executable graph -> work nodes
  base::FlatMap<uint32_t, uint32_t> building_;  // thread -> work nodes cloned so far
};

}  // namespace slowtoken::cupti
