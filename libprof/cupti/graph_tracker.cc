#include "cupti/graph_tracker.h"

namespace slowtoken::cupti {

bool GraphTracker::Init(base::Arena& arena) {
  return captured_.Init(arena) && nodes_.Init(arena, kGraphs) && building_.Init(arena, kThreads);
}

void GraphTracker::Drain(GraphNotes& notes, int64_t clock_offset) {
  GraphNote note;
  for (size_t i = 0; i < GraphNotes::kCapacity && notes.Take(note); ++i) Take(note, clock_offset);
}

void GraphTracker::Take(const GraphNote& note, int64_t clock_offset) {
  switch (note.kind) {
    case GraphNote::Kind::kNodeCreated:
      captured_.Add(note.realtime + static_cast<uint64_t>(clock_offset), note.thread);
      break;
    case GraphNote::Kind::kExecStarting:
      if (uint32_t* count = building_.FindOrInsert(note.thread)) *count = 0;
      break;
    case GraphNote::Kind::kWorkCloned:
      if (uint32_t* count = building_.Find(note.thread)) ++*count;
      break;
    case GraphNote::Kind::kExecCreated:
      FinishExec(note);
      break;
    case GraphNote::Kind::kExecDestroyed:
      nodes_.Erase(note.graph_id);
      break;
  }
}

void GraphTracker::FinishExec(const GraphNote& note) {
  const uint32_t* count = building_.Find(note.thread);
  if (count == nullptr) return;
  // A full table forgets nothing it knows: further graphs stay unknown.
  if (uint32_t* nodes = nodes_.FindOrInsert(note.graph_id)) *nodes = *count;
  building_.Erase(note.thread);
}

uint32_t GraphTracker::WorkNodes(uint32_t graph_id) const {
  const uint32_t* nodes = nodes_.Find(graph_id);
  return nodes == nullptr ? 0 : *nodes;
}

}  // namespace slowtoken::cupti
