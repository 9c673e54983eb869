// Stream capture: turns what a stream is told to do into graph nodes. One lock for all captures (the graph lock).
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "simgpu/core/graph.h"
#include "simgpu/core/stream.h"

namespace simgpu {

struct Event;
struct GraphExec;

struct Capture {
  Graph* graph = nullptr;
  uint64_t id = 0;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  Stream* origin = nullptr;
  std::vector<Stream*> joined;  // origin included
  uint64_t thread = 0;
  bool invalid = false;
};

CUresult BeginCapture(Stream* stream, CUstreamCaptureMode mode, Graph* into,
                      const std::vector<GraphNode*>& dependencies);
CUresult EndCapture(Stream* stream, Graph** out);
CUstreamCaptureStatus CaptureStatus(Stream* stream, Capture* copy, std::vector<GraphNode*>* frontier);
CUresult SetCaptureDependencies(Stream* stream, const std::vector<GraphNode*>& dependencies, bool replace);

// The capturing stream gets a node after its frontier. `child`: a child graph node.
CUresult CaptureNode(Stream* stream, WorkItem item, Graph* child);
CUresult CaptureExec(Stream* stream, GraphExec* exec);
CUresult CaptureEventRecord(Stream* stream, Event* event);
// The stream joins the capture the event was recorded in.
CUresult CaptureEventWait(Stream* stream, Event* event);
bool RecordedInCapture(Event* event);

// A call that a capturing stream does not allow: the capture becomes invalid, the call fails with
// STREAM_CAPTURE_UNSUPPORTED.
CUresult InvalidateCapture(Stream* stream);
// The legacy stream may not be used while a blocking stream of its context captures.
CUresult CheckImplicitCapture(Stream* stream);
// Calls like cudaMalloc: STREAM_CAPTURE_UNSUPPORTED while a capture in global mode is open and this thread is not
// relaxed.
CUresult CheckUnsafeCall();

}  // namespace simgpu
