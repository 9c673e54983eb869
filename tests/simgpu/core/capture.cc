#include "simgpu/core/capture.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "simgpu/core/context.h"
#include "simgpu/core/event.h"
#include "simgpu/core/graph_exec.h"
#include "simgpu/core/thread_state.h"

namespace simgpu {
namespace {

struct Captures {
  std::recursive_mutex mutex;
  std::vector<Capture*> open;
  std::atomic<uint32_t> open_count{0};
  uint64_t next_id = 1;
};

Captures& All() {
  static Captures* captures = new Captures;
  return *captures;
}

void Join(Stream* stream, const std::shared_ptr<Capture>& capture) {
  stream->capture = capture;
  stream->capture_frontier.clear();
  capture->joined.push_back(stream);
  stream->capturing.store(true, std::memory_order_release);
}

void Close(const std::shared_ptr<Capture>& capture) {
  for (Stream* stream : capture->joined) {
    stream->capturing.store(false, std::memory_order_release);
    stream->capture.reset();
    stream->capture_frontier.clear();
  }
  std::erase(All().open, capture.get());
  All().open_count.fetch_sub(1);
}

void AddToFrontier(Stream* stream, const std::vector<GraphNode*>& nodes) {
  for (GraphNode* node : nodes) {
    auto& frontier = stream->capture_frontier;
    if (std::find(frontier.begin(), frontier.end(), node) == frontier.end()) frontier.push_back(node);
  }
}

// Every node without dependents must be at the origin's frontier, else a joined stream was never joined back.
bool AllJoinedBack(const Capture& capture) {
  const auto& frontier = capture.origin->capture_frontier;
  return std::all_of(capture.graph->nodes.begin(), capture.graph->nodes.end(), [&](GraphNode* node) {
    return !node->dependents.empty() || std::find(frontier.begin(), frontier.end(), node) != frontier.end();
  });
}

}  // namespace

CUresult BeginCapture(Stream* stream, CUstreamCaptureMode mode, Graph* into,
                      const std::vector<GraphNode*>& dependencies) {
  std::lock_guard lock(All().mutex);
  if (stream->legacy) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (stream->capture) return CUDA_ERROR_ILLEGAL_STATE;
  auto capture = std::make_shared<Capture>();
  capture->graph = into != nullptr ? into : CreateGraph(stream->context);
  capture->id = All().next_id++;
  capture->mode = mode;
  capture->origin = stream;
  capture->thread = pthread_self();
  All().open.push_back(capture.get());
  All().open_count.fetch_add(1);
  Join(stream, capture);
  stream->capture_frontier = dependencies;
  return CUDA_SUCCESS;
}

CUresult EndCapture(Stream* stream, Graph** out) {
  std::lock_guard lock(All().mutex);
  *out = nullptr;
  std::shared_ptr<Capture> capture = stream->capture;
  if (!capture) return CUDA_ERROR_ILLEGAL_STATE;
  if (capture->origin != stream) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && capture->thread != pthread_self()) {
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  }
  CUresult result = CUDA_SUCCESS;
  if (capture->invalid) {
    result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  } else if (!AllJoinedBack(*capture)) {
    result = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  }
  if (result == CUDA_SUCCESS) *out = capture->graph;
  Close(capture);
  return result;
}

CUstreamCaptureStatus CaptureStatus(Stream* stream, Capture* copy, std::vector<GraphNode*>* frontier) {
  if (!stream->capturing.load(std::memory_order_acquire)) return CU_STREAM_CAPTURE_STATUS_NONE;
  std::lock_guard lock(All().mutex);
  if (!stream->capture) return CU_STREAM_CAPTURE_STATUS_NONE;
  if (copy != nullptr) *copy = *stream->capture;
  if (frontier != nullptr) *frontier = stream->capture_frontier;
  return stream->capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

CUresult SetCaptureDependencies(Stream* stream, const std::vector<GraphNode*>& dependencies, bool replace) {
  std::lock_guard lock(All().mutex);
  if (!stream->capture) return CUDA_ERROR_ILLEGAL_STATE;
  if (replace) stream->capture_frontier.clear();
  AddToFrontier(stream, dependencies);
  return CUDA_SUCCESS;
}

CUresult CaptureNode(Stream* stream, WorkItem item, Graph* child) {
  std::lock_guard lock(All().mutex);
  if (!stream->capture) return CUDA_ERROR_ILLEGAL_STATE;
  if (stream->capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  GraphNode* node = AddNode(stream->capture->graph, std::move(item), child, stream->capture_frontier);
  stream->capture_frontier = {node};
  return CUDA_SUCCESS;
}

// An executable graph launched while capturing becomes a child graph.
CUresult CaptureExec(Stream* stream, GraphExec* exec) {
  Graph* child = CreateGraph(exec->context);
  std::vector<GraphNode*> copies;
  for (size_t i = 0; i < exec->nodes.size(); ++i) {
    std::vector<GraphNode*> dependencies;
    for (uint32_t dependency : (*exec->topology)[i]) dependencies.push_back(copies[dependency]);
    copies.push_back(AddNode(child, exec->nodes[i].node->item, nullptr, dependencies));
  }
  return CaptureNode(stream, WorkItem{}, child);
}

CUresult CaptureEventRecord(Stream* stream, Event* event) {
  std::lock_guard lock(All().mutex);
  if (!stream->capture) return CUDA_ERROR_ILLEGAL_STATE;
  if (stream->capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  event->capture = stream->capture;
  event->capture_nodes = stream->capture_frontier;
  return CUDA_SUCCESS;
}

CUresult CaptureEventWait(Stream* stream, Event* event) {
  std::lock_guard lock(All().mutex);
  if (!event->capture) return InvalidateCapture(stream);  // waiting for work outside the capture
  if (stream->capture && stream->capture != event->capture) return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  if (stream->legacy) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  if (!stream->capture) Join(stream, event->capture);
  AddToFrontier(stream, event->capture_nodes);
  return CUDA_SUCCESS;
}

bool RecordedInCapture(Event* event) {
  if (All().open_count.load() == 0) return false;
  std::lock_guard lock(All().mutex);
  return event->capture && std::find(All().open.begin(), All().open.end(), event->capture.get()) != All().open.end();
}

CUresult InvalidateCapture(Stream* stream) {
  std::lock_guard lock(All().mutex);
  if (stream->capture) stream->capture->invalid = true;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult CheckImplicitCapture(Stream* stream) {
  if (!stream->legacy || All().open_count.load(std::memory_order_relaxed) == 0) return CUDA_SUCCESS;
  std::lock_guard lock(All().mutex);
  for (Capture* capture : All().open) {
    for (Stream* joined : capture->joined) {
      if (joined->context != stream->context || !joined->blocking) continue;
      capture->invalid = true;
      return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
  }
  return CUDA_SUCCESS;
}

CUresult CheckUnsafeCall() {
  const CUstreamCaptureMode own = Thread().capture_mode;
  if (All().open_count.load(std::memory_order_relaxed) == 0 || own == CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_SUCCESS;
  std::lock_guard lock(All().mutex);
  for (Capture* capture : All().open) {
    const bool mine = capture->thread == pthread_self();
    const bool forbids =
        (capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL && (mine || own == CU_STREAM_CAPTURE_MODE_GLOBAL)) ||
        (capture->mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL && mine);
    if (!forbids) continue;
    capture->invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return CUDA_SUCCESS;
}

}  // namespace simgpu
