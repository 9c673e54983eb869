// A stream: a queue of ops on the timeline, plus its capture state. Stream objects are recycled, never freed, because
// events and tools keep pointers to them; a recycled stream gets a new id.
#pragma once

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "simgpu/core/work.h"

namespace simgpu {

struct Context;
struct Capture;
struct GraphNode;

struct Stream {
  static constexpr uint32_t kMagic = 0x53545245;

  uint32_t magic = kMagic;
  uint32_t id = 0;
  Context* context = nullptr;
  unsigned flags = 0;
  int priority = 0;
  bool legacy = false;     // the context's NULL stream
  bool blocking = false;   // orders itself with the legacy stream
  bool destroyed = false;  // to be recycled once drained

  // Guarded by the timeline.
  std::deque<Op> ops;
  uint64_t next_sequence = 1;
  size_t resolved_ops = 0;   // from the front: ops whose end is known
  uint64_t tail_end = 0;     // end of the last resolved op
  uint64_t drained_end = 0;  // end of the last finished op

  // Capture: guarded by the graph lock (capture.h).
  std::atomic<bool> capturing{false};
  std::shared_ptr<Capture> capture;
  std::vector<GraphNode*> capture_frontier;

  uint64_t FrontSequence() const { return next_sequence - ops.size(); }
  bool DoneThrough(uint64_t sequence) const { return sequence < FrontSequence(); }
};

// Resolves a handle of an API call: NULL, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD included. `per_thread`: the call is
// a _ptsz/_ptds one. Returns nullptr for a bad handle or when no context is current.
Stream* ResolveStream(CUstream handle, bool per_thread);
CUstream StreamHandle(Stream* stream);

Stream* CreateStream(Context* context, unsigned flags, int priority);
// Recycles at once if drained, else when its last op ends. Returns false for default streams.
bool DestroyStream(Stream* stream);
// A stream object from the free list or new; used for a context's default streams too. No resource event.
Stream* NewStreamObject(Context* context, uint32_t id);
void RecycleStream(Stream* stream);

constexpr uint32_t kLegacyStreamId = 7;

}  // namespace simgpu
