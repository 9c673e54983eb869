#include "simgpu/core/stream.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "simgpu/core/context.h"
#include "simgpu/core/thread_state.h"
#include "simgpu/core/timeline.h"
#include "simgpu/core/tool.h"

namespace simgpu {
namespace {

constexpr uint32_t kFirstStreamId = 13;

struct FreeStreams {
  std::mutex mutex;
  std::vector<Stream*> streams;
  std::atomic<uint32_t> next_id{kFirstStreamId};
};

FreeStreams& Free() {
  static FreeStreams* streams = new FreeStreams;
  return *streams;
}

Stream* PerThreadStream(Context* context) {
  ThreadState& thread = Thread();
  if (thread.per_thread_context == context) return thread.per_thread_stream;
  std::lock_guard lock(context->mutex);
  Stream*& stream = context->per_thread[pthread_self()];
  if (stream == nullptr) {
    stream = NewStreamObject(context, Free().next_id.fetch_add(1));
    stream->blocking = true;
  }
  thread.per_thread_context = context;
  thread.per_thread_stream = stream;
  return stream;
}

}  // namespace

Stream* ResolveStream(CUstream handle, bool per_thread) {
  if (handle == nullptr) handle = per_thread ? CU_STREAM_PER_THREAD : CU_STREAM_LEGACY;
  if (handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD) {
    Context* context = CurrentContext();
    if (context == nullptr) return nullptr;
    return handle == CU_STREAM_LEGACY ? context->legacy : PerThreadStream(context);
  }
  auto* stream = reinterpret_cast<Stream*>(handle);
  return stream->magic == Stream::kMagic && !stream->destroyed ? stream : nullptr;
}

CUstream StreamHandle(Stream* stream) {
  return stream == nullptr || stream->legacy ? nullptr : reinterpret_cast<CUstream>(stream);
}

Stream* NewStreamObject(Context* context, uint32_t id) {
  Stream* stream = nullptr;
  {
    std::lock_guard lock(Free().mutex);
    if (!Free().streams.empty()) {
      stream = Free().streams.back();
      Free().streams.pop_back();
    }
  }
  if (stream == nullptr) stream = new Stream;
  stream->id = id;
  stream->context = context;
  stream->flags = 0;
  stream->priority = 0;
  stream->legacy = false;
  stream->blocking = false;
  stream->destroyed = false;
  return stream;
}

Stream* CreateStream(Context* context, unsigned flags, int priority) {
  Stream* stream = NewStreamObject(context, Free().next_id.fetch_add(1));
  stream->flags = flags;
  stream->priority = std::clamp(priority, -5, 0);
  stream->blocking = (flags & CU_STREAM_NON_BLOCKING) == 0;
  {
    std::lock_guard lock(context->mutex);
    context->streams.push_back(stream);
  }
  ResourceEvent event(SIMGPU_STREAM_CREATED, context);
  event.stream = reinterpret_cast<CUstream_st*>(stream);
  event.stream_id = stream->id;
  event.Send();
  return stream;
}

bool DestroyStream(Stream* stream) {
  Context* context = stream->context;
  {
    std::lock_guard lock(context->mutex);
    if (std::erase(context->streams, stream) == 0) return false;
  }
  ResourceEvent event(SIMGPU_STREAM_DESTROY_STARTING, context);
  event.stream = reinterpret_cast<CUstream_st*>(stream);
  event.stream_id = stream->id;
  event.Send();
  std::lock_guard lock(TheTimeline().mutex());
  stream->destroyed = true;
  stream->capture.reset();
  if (stream->ops.empty()) RecycleStream(stream);
  return true;
}

void RecycleStream(Stream* stream) {
  std::lock_guard lock(Free().mutex);
  Free().streams.push_back(stream);
}

}  // namespace simgpu
