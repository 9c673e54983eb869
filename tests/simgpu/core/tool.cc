#include "simgpu/core/tool.h"

#include "simgpu/core/clock.h"
#include "simgpu/core/context.h"
#include "simgpu/core/stream.h"
#include "simgpu/core/thread_state.h"

namespace simgpu {
namespace tool_detail {
namespace {
constexpr uint32_t kNothing = 0;
}
std::atomic<const uint32_t*> wanted{&kNothing};
}  // namespace tool_detail

namespace {

std::atomic<const SimgpuToolHooks*> g_hooks{nullptr};

const SimgpuToolHooks* Hooks() { return g_hooks.load(std::memory_order_acquire); }

// Calls a hook with the thread marked, so that CUDA calls made inside it are not reported.
template <typename Call>
void InHook(Call call) {
  ThreadState& thread = Thread();
  if (thread.in_hook) return;
  thread.in_hook = true;
  call();
  thread.in_hook = false;
}

}  // namespace

void AttachTool(const SimgpuToolHooks* hooks) {
  g_hooks.store(hooks, std::memory_order_release);
  tool_detail::wanted.store(hooks != nullptr ? hooks->wanted : &tool_detail::kNothing, std::memory_order_release);
}

void ToolApiEnter(SimgpuApiCall* call) {
  const SimgpuToolHooks* hooks = Hooks();
  if (hooks != nullptr && hooks->api_enter != nullptr) InHook([&] { hooks->api_enter(call); });
}

void ToolApiExit(SimgpuApiCall* call) {
  const SimgpuToolHooks* hooks = Hooks();
  if (hooks != nullptr && hooks->api_exit != nullptr) InHook([&] { hooks->api_exit(call); });
}

void* ReserveSlot(const SimgpuRecord& record) {
  const SimgpuToolHooks* hooks = Hooks();
  void* slot = nullptr;
  if (hooks != nullptr && hooks->reserve != nullptr) InHook([&] { slot = hooks->reserve(&record); });
  return slot;
}

void CompleteSlot(void* slot, uint64_t start, uint64_t end) {
  if (slot == nullptr) return;
  const SimgpuToolHooks* hooks = Hooks();
  if (hooks != nullptr && hooks->complete != nullptr) hooks->complete(slot, start, end);
}

void ToolForkedChild() {
  const SimgpuToolHooks* hooks = Hooks();
  if (hooks != nullptr && hooks->forked_child != nullptr) hooks->forked_child();
}

SimgpuRecord NewRecord(SimgpuRecordKind kind, Stream* stream) {
  SimgpuRecord record{};
  record.struct_size = sizeof(record);
  record.kind = kind;
  record.correlation_id = Thread().correlation;
  record.queued_ns = NowNs();
  record.submitted_ns = record.queued_ns;
  if (stream != nullptr) {
    record.stream_id = stream->id;
    record.context_id = stream->context->uid;
    record.device_id = static_cast<uint32_t>(stream->context->device);
    record.channel_id = stream->id % 8;
    record.channel_type = kind == SIMGPU_RECORD_MEMCPY || kind == SIMGPU_RECORD_MEMCPY_PEER ? 2 : 1;
    record.priority = static_cast<uint32_t>(stream->priority);
  } else if (Context* context = CurrentContext()) {
    record.context_id = context->uid;
    record.device_id = static_cast<uint32_t>(context->device);
  }
  return record;
}

void EmitRecord(SimgpuRecord& record, uint64_t start, uint64_t end) {
  record.queued_ns = start;
  record.submitted_ns = start;
  CompleteSlot(ReserveSlot(record), start, end);
}

ResourceEvent::ResourceEvent(SimgpuResourceEventKind event_kind, Context* of) : SimgpuResourceEvent{} {
  struct_size = sizeof(SimgpuResourceEvent);
  kind = event_kind;
  if (of != nullptr) {
    context = reinterpret_cast<CUctx_st*>(of);
    context_uid = of->uid;
    device_id = static_cast<uint32_t>(of->device);
  }
}

void ResourceEvent::Send() {
  if (!Wanted(SIMGPU_WANT_RESOURCE)) return;
  const SimgpuToolHooks* hooks = Hooks();
  if (hooks != nullptr && hooks->resource != nullptr) InHook([&] { hooks->resource(this); });
}

}  // namespace simgpu
