// GraphNotes: what host threads note down while a CUDA graph is being built, for the worker. CUPTI's resource
// call-backs fire only then (cupti_callbacks.h:209), so nothing of ours runs on the path of an ordinary launch. Note
// costs one clock read, one gettid and one queue push, about 150 ns a graph node, against microseconds that the driver
// spends on it. No lock, no memory; errno untouched. Full: dropped and counted, and a launch during that capture then
// looks like one that started something.
#pragma once

#include <unistd.h>

#include "base/loss.h"
#include "cupti/bounded_queue.h"
#include "record/ids.h"

namespace slowtoken::cupti {

struct GraphNote {
  enum class Kind : uint8_t { kNodeCreated, kWorkCloned, kExecStarting, kExecCreated, kExecDestroyed };

  uint64_t realtime = 0;  // CLOCK_REALTIME, which is CUPTI's clock on Linux (cupti_activity.h:8125)
  record::ThreadId thread = 0;
  uint32_t graph_id = 0;  // of the executable graph; kExecCreated and kExecDestroyed only
  Kind kind = Kind::kNodeCreated;
};

class GraphNotes {
 public:
  static constexpr size_t kCapacity = 8192;

  bool Init(base::Arena& arena, base::LossCounters& losses) {
    losses_ = &losses;
    return queue_.Init(arena, kCapacity);
  }

  // Any thread.
  void Note(GraphNote::Kind kind, uint32_t graph_id) {
    const GraphNote note{base::RealtimeNow(), static_cast<record::ThreadId>(gettid()), graph_id, kind};
    if (!queue_.Push(note)) losses_->Add(base::Loss::kGraphNotesFull);
  }

  // Worker. False when there is none.
  bool Take(GraphNote& note) { return queue_.Pop(note); }

 private:
  BoundedQueue<GraphNote> queue_;
  base::LossCounters* losses_ = nullptr;
};

}  // namespace slowtoken::cupti
