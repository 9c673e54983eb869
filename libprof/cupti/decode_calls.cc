// What host threads waited for, and what CUPTI itself cost. (Calls: decode_api_calls.cc.)
#include "cupti/decode.h"

namespace slowtoken::cupti {
namespace {

static_assert(static_cast<int>(record::SyncKind::kContext) == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE);
static_assert(static_cast<int>(record::SyncKind::kEvent) == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE);

record::OverheadKind ToOverheadKind(uint32_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_OVERHEAD_UNKNOWN:
      return record::OverheadKind::kUnknown;
    case CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER:
      return record::OverheadKind::kDriverCompiler;
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH:
      return record::OverheadKind::kBufferFlush;
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION:
      return record::OverheadKind::kInstrumentation;
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE:
      return record::OverheadKind::kResource;
    case CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING:
    case CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING:
      return record::OverheadKind::kRuntimeLazyLoad;
    case 6u << 16:  // COMMAND_BUFFER_FULL, not in the headers of all versions
      return record::OverheadKind::kCommandBufferFull;
    default:
      return record::OverheadKind::kOther;
  }
}

// What would not have happened without CUPTI: not the compiler, nor the loading of modules.
bool IsCuptisOwn(uint32_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH:
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION:
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE:
    case 7u << 16:  // ACTIVITY_BUFFER_REQUEST and UVM_ACTIVITY_INIT, not in the headers of all versions
    case 8u << 16:
      return true;
    default:
      return false;
  }
}

}  // namespace

void Decode(const SyncRecord& r, DecodeState& state, capture::CollectContext& context) {
  const Times times = state.times.Convert(r.start, r.end, context.clock, context.losses);
  record::Synchronization sync;
  sync.start = times.start;
  sync.end = times.end;
  sync.correlation = r.correlationId;
  sync.event_id = r.cudaEventId == CUPTI_SYNCHRONIZATION_INVALID_VALUE ? 0 : r.cudaEventId;
  if (r.streamId != CUPTI_SYNCHRONIZATION_INVALID_VALUE) {
    sync.lane = state.lanes.LaneOf(r.contextId, r.streamId, context.dictionary);
  }
  const bool known = r.type <= CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE;
  sync.kind = known ? static_cast<record::SyncKind>(r.type) : record::SyncKind::kUnknown;
  context.out.On(sync);
}

void Decode(const OverheadRecord& r, DecodeState& state, capture::CollectContext& context) {
  const Times times = state.times.Convert(r.start, r.end, context.clock, context.losses);
  record::Overhead overhead;
  overhead.start = times.start;
  overhead.end = times.end;
  overhead.kind = ToOverheadKind(r.overheadKind);
  if (IsCuptisOwn(r.overheadKind) && overhead.end > overhead.start) {
    state.cupti_cost_ns += overhead.end - overhead.start;
  }
  const bool names_thread =
      r.objectKind == CUPTI_ACTIVITY_OBJECT_PROCESS || r.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD;
  if (names_thread && state.thread_ids_known) overhead.thread = r.objectId.pt.threadId;
  context.out.On(overhead);
}

}  // namespace slowtoken::cupti
