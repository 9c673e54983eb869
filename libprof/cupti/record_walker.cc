// The walk, and the decoders of the two kinds that come by the hundred thousand, which are part of it: a kernel or call
// like the ones before costs about 65 instructions, and waits in a batch until the buffer is through.
#include "cupti/record_walker.h"

#include "cupti/probe_call.h"

namespace slowtoken::cupti {
namespace {

template <typename Record>
const Record& As(const CUpti_Activity* record) {
  return *reinterpret_cast<const Record*>(record);
}

void Decode(const KernelRecord& r, DecodeState& state, capture::CollectContext& context) {
  const Times times = state.times.Convert(r.start, r.end, context.clock, context.losses);
  const record::ShapeId shape = state.shapes.ShapeOf(r, context.dictionary, context.losses);
  const record::LaneId lane = state.lanes.LaneOf(r.deviceId, r.contextId, r.streamId, context.dictionary);
  ++state.totals.kernels;
  state.kernels.Next(context.out) = record::Kernel{.start = times.start,
                                                   .end = times.end,
                                                   .graph_node_id = r.graphNodeId,
                                                   .graph_id = r.graphId,
                                                   .correlation = CorrelationOf(r, state),
                                                   .shape = shape,
                                                   .lane = lane,
                                                   .process = 0};
}

// Calls that put a node into a graph when their stream is being captured.
bool CanBeCaptured(record::ApiClass api_class) {
  using enum record::ApiClass;
  return api_class == kKernelLaunch || api_class == kGraphLaunch || api_class == kMemcpy || api_class == kMemset ||
         api_class == kMemory;
}

void CountLaunch(const ApiRecord& r, record::ApiClass api_class, bool captured, DecodeState& state) {
  const bool launch = api_class == record::ApiClass::kKernelLaunch || api_class == record::ApiClass::kGraphLaunch;
  if (!launch || r.returnValue != 0 || !state.launches.IsNew(r.correlationId)) return;
  ++(captured ? state.totals.launches_captured : state.totals.launches);
}

// By CUPTI's own thread id, which is right whatever its type.
void FollowCapture(const ApiRecord& r, record::ApiDomain domain, DecodeState& state, capture::CollectContext& context) {
  switch (state.classes.CaptureOf(domain, r.cbid)) {
    case ApiClasses::Capture::kBegin:
      if (r.returnValue == 0) state.captures.Begin(domain, r.threadId, r.end, context.losses);
      return;
    case ApiClasses::Capture::kEnd:  // also when it fails: the capture is over then too
      return state.captures.End(domain, r.threadId, r.start);
    case ApiClasses::Capture::kNone:
      return;
  }
}

void Decode(const ApiRecord& r, DecodeState& state, capture::CollectContext& context) {
  const auto domain = r.kind == CUPTI_ACTIVITY_KIND_RUNTIME ? record::ApiDomain::kRuntime : record::ApiDomain::kDriver;
  if (r.cbid == ProbeCall::kCallbackId && domain == record::ApiDomain::kDriver) return;  // ours
  if (state.whole_api_kinds && state.classes.Unwanted(domain, r.cbid)) return;
  const Times times = state.times.Convert(r.start, r.end, context.clock, context.losses);
  const record::StringId name = state.classes.Name(domain, r.cbid, state.api, context.dictionary);
  const record::ApiClass api_class = state.classes.ClassOf(domain, r.cbid);
  const record::ThreadId thread = state.thread_ids_known ? r.threadId : 0;
  if (api_class == record::ApiClass::kGraphBuild) FollowCapture(r, domain, state, context);
  const bool captured = CanBeCaptured(api_class) && state.captures.Contains(r.threadId, r.start);
  CountLaunch(r, api_class, captured, state);
  state.calls.Next(context.out) = record::ApiCall{.start = times.start,
                                                  .end = times.end,
                                                  .correlation = r.correlationId,
                                                  .cbid = r.cbid,
                                                  .return_value = static_cast<int32_t>(r.returnValue),
                                                  .thread = thread,
                                                  .name = name,
                                                  .domain = domain,
                                                  .api_class = api_class,
                                                  .captured = captured,
                                                  .process = 0};
}

// Of the kinds that do not come by the hundred thousand.
void DecodeOther(const CUpti_Activity* r, DecodeState& state, capture::CollectContext& context) {
  switch (r->kind) {
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return Decode(As<MemcpyRecord>(r), state, context);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return Decode(As<MemcpyPeerRecord>(r), state, context);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return Decode(As<MemsetRecord>(r), state, context);
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return Decode(As<GraphRecord>(r), state, context);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return Decode(As<SyncRecord>(r), state, context);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return Decode(As<OverheadRecord>(r), state, context);
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return Decode(As<DeviceRecord>(r), state, context);
    case CUPTI_ACTIVITY_KIND_CONTEXT:
      return Decode(As<ContextRecord>(r), state, context);
    case CUPTI_ACTIVITY_KIND_STREAM:
      return Decode(As<StreamRecord>(r), state, context);
    default:
      context.losses.Add(base::Loss::kUnknownRecordKind);
  }
}

// The buffer was written by another thread long ago: asks for what lies some records ahead.
void Prefetch(const CUpti_Activity* record) {
  constexpr size_t kAhead = 2048, kLine = 64;
  const char* ahead = reinterpret_cast<const char*>(record) + kAhead;
  for (size_t line = 0; line < sizeof(KernelRecord); line += kLine) __builtin_prefetch(ahead + line);
}

}  // namespace

void DecodeBuffer(const BufferPool::Buffer& buffer, DecodeState& state, capture::CollectContext& context) {
  if (buffer.bytes == 0 || state.api.get_next_record == nullptr) return;
  CUpti_Activity* record = nullptr;
  CUptiResult result = CUPTI_SUCCESS;
  while ((result = state.api.get_next_record(buffer.data, buffer.bytes, &record)) == CUPTI_SUCCESS) {
    Prefetch(record);
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      Decode(As<KernelRecord>(record), state, context);
    } else if (record->kind == CUPTI_ACTIVITY_KIND_RUNTIME || record->kind == CUPTI_ACTIVITY_KIND_DRIVER) {
      Decode(As<ApiRecord>(record), state, context);
    } else {
      DecodeOther(record, state, context);
    }
  }
  state.calls.Deliver(context.out);
  state.kernels.Deliver(context.out);
  // MAX_LIMIT_REACHED is the end; INVALID_KIND a record CUPTI had not finished (cupti_activity.h:7586).
  if (result == CUPTI_ERROR_INVALID_KIND) {
    context.losses.Add(base::Loss::kUnfinishedRecord);
  } else if (result != CUPTI_ERROR_MAX_LIMIT_REACHED) {
    context.losses.Add(base::Loss::kFaultedCall);
  }
}

}  // namespace slowtoken::cupti
