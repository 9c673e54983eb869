// What host threads did in CUDA, and what CUPTI itself cost.
#include "cupti/decode.h"

namespace slowtoken::cupti {
namespace {

static_assert(static_cast<int>(record::SyncKind::kContext) == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE);
static_assert(static_cast<int>(record::SyncKind::kEvent) == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE);

// Calls that put a node into a graph when their stream is being captured.
bool CanBeCaptured(record::ApiClass api_class) {
  using enum record::ApiClass;
  return api_class == kKernelLaunch || api_class == kGraphLaunch || api_class == kMemcpy || api_class == kMemset ||
         api_class == kMemory;
}

void CountLaunch(const record::ApiCall& call, DecodeState& state) {
  const bool launch =
      call.api_class == record::ApiClass::kKernelLaunch || call.api_class == record::ApiClass::kGraphLaunch;
  if (!launch || call.return_value != 0 || !state.launches.IsNew(call.correlation)) return;
  ++(call.captured ? state.totals.launches_captured : state.totals.launches);
}

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

void Decode(const ApiRecord& r, DecodeState& state, capture::CollectContext& context) {
  record::ApiCall call;
  call.domain = r.kind == CUPTI_ACTIVITY_KIND_RUNTIME ? record::ApiDomain::kRuntime : record::ApiDomain::kDriver;
  call.cbid = r.cbid;
  if (state.whole_api_kinds && state.classes.Unwanted(call.domain, call.cbid)) return;
  const Times times = state.times.Convert(r.start, r.end, context.clock, context.losses);
  call.start = times.start;
  call.end = times.end;
  call.correlation = r.correlationId;
  call.return_value = static_cast<int32_t>(r.returnValue);
  call.thread = state.thread_ids_known ? r.threadId : 0;
  call.name = state.classes.Name(call.domain, call.cbid, state.api, context.dictionary);
  call.api_class = state.classes.ClassOf(call.domain, call.cbid);
  call.captured = CanBeCaptured(call.api_class) && state.graphs.Captured(call.thread, r.start, r.end);
  CountLaunch(call, state);
  context.out.On(call);
}

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
