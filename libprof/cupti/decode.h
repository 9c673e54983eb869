// The decoders: one function per activity kind, from CUPTI's record to an event. Worker only. They keep nothing of the
// record: names are copied into the dictionary at once. Kernels and API calls come many at a time and are passed on so.
#pragma once

#include <array>
#include <span>

#include "capture/event_source.h"
#include "cupti/api_classes.h"
#include "cupti/capture_spans.h"
#include "cupti/kernel_shapes.h"
#include "cupti/lanes.h"
#include "cupti/launch_counter.h"
#include "cupti/record_layouts.h"
#include "cupti/record_times.h"

namespace slowtoken::cupti {

// How many kernels or API calls are decoded together at most.
inline constexpr size_t kDecodedAtOnce = 16;

// What the decoders remember from record to record.
struct DecodeState {
  ApiTable api;
  ApiClasses classes;
  KernelShapes shapes;
  Lanes lanes;
  CaptureSpans captures;
  RecordTimes times;
  LaunchCounter launches;
  std::array<record::Kernel, kDecodedAtOnce> kernels;  // decoded last
  std::array<record::ApiCall, kDecodedAtOnce> calls;
  record::CaptureTotals totals;  // launches, kernels, graph launches and copies
  uint64_t devices_seen = 0;     // bit per ordinal
  uint64_t cupti_cost_ns = 0;    // CUPTI's own, by its overhead records
  bool whole_api_kinds = false;  // all calls may arrive, not only those we asked for: filter
  bool graph_ids_wrong = false;  // CUPTI gives records from graphs another launch's correlation id
  bool thread_ids_known = true;  // CUPTI was told to use gettid
};

// None where CUPTI is known to give a wrong one: no join is better than a false one.
template <typename Record>
record::CorrelationId CorrelationOf(const Record& r, const DecodeState& state) {
  return state.graph_ids_wrong && r.graphId != 0 ? 0 : r.correlationId;
}

// At most kDecodedAtOnce.
void Decode(std::span<const KernelRecord* const> records, DecodeState& state, capture::CollectContext& context);
void Decode(std::span<const ApiRecord* const> records, DecodeState& state, capture::CollectContext& context);
void Decode(const MemcpyRecord& r, DecodeState& state, capture::CollectContext& context);
void Decode(const MemcpyPeerRecord& r, DecodeState& state, capture::CollectContext& context);
void Decode(const MemsetRecord& r, DecodeState& state, capture::CollectContext& context);
void Decode(const GraphRecord& r, DecodeState& state, capture::CollectContext& context);
void Decode(const SyncRecord& r, DecodeState& state, capture::CollectContext& context);
void Decode(const OverheadRecord& r, DecodeState& state, capture::CollectContext& context);
void Decode(const DeviceRecord& r, DecodeState& state, capture::CollectContext& context);
void Decode(const ContextRecord& r, DecodeState& state, capture::CollectContext& context);
void Decode(const StreamRecord& r, DecodeState& state, capture::CollectContext& context);

}  // namespace slowtoken::cupti
