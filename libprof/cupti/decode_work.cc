// What the GPU did: copies, memsets, whole graphs. (Kernels: decode_kernels.cc.)
#include "cupti/decode.h"

namespace slowtoken::cupti {
namespace {

// The enumerators of record/gpu_events.h follow CUPTI's numbers.
static_assert(static_cast<int>(record::CopyKind::kPtoP) == CUPTI_ACTIVITY_MEMCPY_KIND_PTOP);
static_assert(static_cast<int>(record::CopyKind::kDtoD) == CUPTI_ACTIVITY_MEMCPY_KIND_DTOD);
static_assert(static_cast<int>(record::MemoryKind::kPinned) == CUPTI_ACTIVITY_MEMORY_KIND_PINNED);
static_assert(static_cast<int>(record::MemoryKind::kManagedStatic) == CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC);

record::CopyKind ToCopyKind(uint8_t kind) {
  return kind <= CUPTI_ACTIVITY_MEMCPY_KIND_PTOP ? static_cast<record::CopyKind>(kind) : record::CopyKind::kUnknown;
}

record::MemoryKind ToMemoryKind(uint32_t kind) {
  return kind <= CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC ? static_cast<record::MemoryKind>(kind)
                                                           : record::MemoryKind::kUnknown;
}

template <typename Record>
record::Memcpy CopyOf(const Record& r, DecodeState& state, capture::CollectContext& context) {
  const Times times = state.times.Convert(r.start, r.end, context.clock, context.losses);
  record::Memcpy copy;
  copy.start = times.start;
  copy.end = times.end;
  copy.bytes = r.bytes;
  copy.graph_node_id = r.graphNodeId;
  copy.graph_id = r.graphId;
  copy.correlation = CorrelationOf(r, state);
  copy.lane = state.lanes.LaneOf(r.deviceId, r.contextId, r.streamId, context.dictionary);
  copy.copy_kind = ToCopyKind(r.copyKind);
  copy.src = ToMemoryKind(r.srcKind);
  copy.dst = ToMemoryKind(r.dstKind);
  copy.async = (r.flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) != 0;
  ++state.totals.memcpys;
  return copy;
}

}  // namespace

void Decode(const MemcpyRecord& r, DecodeState& state, capture::CollectContext& context) {
  context.out.On(CopyOf(r, state, context));
}

void Decode(const MemcpyPeerRecord& r, DecodeState& state, capture::CollectContext& context) {
  record::Memcpy copy = CopyOf(r, state, context);
  copy.src_device = static_cast<int32_t>(r.srcDeviceId);
  copy.dst_device = static_cast<int32_t>(r.dstDeviceId);
  context.out.On(copy);
}

void Decode(const MemsetRecord& r, DecodeState& state, capture::CollectContext& context) {
  const Times times = state.times.Convert(r.start, r.end, context.clock, context.losses);
  record::Memset memset;
  memset.start = times.start;
  memset.end = times.end;
  memset.bytes = r.bytes;
  memset.graph_node_id = r.graphNodeId;
  memset.graph_id = r.graphId;
  memset.value = r.value;
  memset.correlation = CorrelationOf(r, state);
  memset.lane = state.lanes.LaneOf(r.deviceId, r.contextId, r.streamId, context.dictionary);
  memset.memory = ToMemoryKind(r.memoryKind);
  context.out.On(memset);
}

void Decode(const GraphRecord& r, DecodeState& state, capture::CollectContext& context) {
  const Times times = state.times.Convert(r.start, r.end, context.clock, context.losses);
  record::GraphLaunch graph;
  graph.start = times.start;
  graph.end = times.end;
  graph.graph_id = r.graphId;
  graph.correlation = CorrelationOf(r, state);
  graph.lane = state.lanes.LaneOf(r.deviceId, r.contextId, r.streamId, context.dictionary);
  ++state.totals.graph_launches;
  context.out.On(graph);
}

}  // namespace slowtoken::cupti
