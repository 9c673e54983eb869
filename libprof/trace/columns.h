// Which columns each kind of event has, in one place for the encoder (which writes the wire format by itself) and the
// reader (which parses with generated code). Numbers and names are those of proto/slowtoken/v1/trace.proto.
// Compile-time only.
//
// A table is X(number, column, member, coding): the proto field's number and name, the struct's member, and how its
// values are coded. A struct that grows breaks the static_assert behind its table: add the column, here and in the
// proto.
#pragma once

#include <bit>

#include "base/words.h"
#include "record/dictionary.h"
#include "record/visitor.h"

namespace slowtoken::trace {

enum class Coding : uint8_t {
  kNumber,   // difference to the row before
  kTime,     // as kNumber; a time, 0 = unknown
  kAfter,    // a time, coded from the row's first time
  kText,     // StringId <-> position in the chunk's texts, then as kNumber
  kShape,    // ShapeId <-> position in the chunk's shapes, then as kNumber
  kLane,     // LaneId <-> position in the chunk's lanes, then as kNumber
  kRequest,  // RequestId <-> position in the chunk's requests, then as kNumber
};

// Columns<Event>: Each(event, visit) calls visit.Do<number, coding>(member) for every column in order; kCount is the
// highest number of the batch, columns of nested lists included.
template <typename Event>
struct Columns;

#define SLOWTOKEN_VISIT_COLUMN(number, column, member, coding) visit.template Do<number, Coding::coding>(event.member);

#define SLOWTOKEN_COLUMNS_OF(Type, TABLE, size, count)         \
  template <>                                                  \
  struct Columns<Type> {                                       \
    static_assert(sizeof(Type) == (size), "a member changed"); \
    static constexpr unsigned kCount = count;                  \
    template <typename Event, typename Visit>                  \
    static void Each(Event& event, Visit& visit) {             \
      TABLE(SLOWTOKEN_VISIT_COLUMN)                            \
    }                                                          \
  };

// clang-format off: tables
// clang-format off
#define SLOWTOKEN_SHAPE_COLUMNS(X)                                                                           \
  X(1, name, name, kText) X(2, grid_x, grid[0], kNumber) X(3, grid_y, grid[1], kNumber)                      \
  X(4, grid_z, grid[2], kNumber) X(5, block_x, block[0], kNumber) X(6, block_y, block[1], kNumber)           \
  X(7, block_z, block[2], kNumber) X(8, cluster_x, cluster[0], kNumber) X(9, cluster_y, cluster[1], kNumber) \
  X(10, cluster_z, cluster[2], kNumber) X(11, registers, registers, kNumber)                                 \
  X(12, static_shared, static_shared, kNumber) X(13, dynamic_shared, dynamic_shared, kNumber)                \
  X(14, local_per_thread, local_per_thread, kNumber)
// clang-format on
SLOWTOKEN_COLUMNS_OF(record::KernelShape, SLOWTOKEN_SHAPE_COLUMNS, 56, 14)

// clang-format off
#define SLOWTOKEN_LANE_COLUMNS(X) \
  X(1, device, device, kNumber) X(2, context, context, kNumber) X(3, stream, stream, kNumber)
// clang-format on
SLOWTOKEN_COLUMNS_OF(record::Lane, SLOWTOKEN_LANE_COLUMNS, 16, 3)

// clang-format off
#define SLOWTOKEN_MEMCPY_COLUMNS(X)                                                                   \
  X(1, start, start, kTime) X(2, end, end, kAfter) X(3, bytes, bytes, kNumber)                        \
  X(4, graph_node_id, graph_node_id, kNumber) X(5, graph_id, graph_id, kNumber)                       \
  X(6, correlation, correlation, kNumber) X(7, lane, lane, kLane) X(8, copy_kind, copy_kind, kNumber) \
  X(9, src, src, kNumber) X(10, dst, dst, kNumber) X(11, async, async, kNumber)                       \
  X(12, src_device, src_device, kNumber) X(13, dst_device, dst_device, kNumber)
// clang-format on
SLOWTOKEN_COLUMNS_OF(record::Memcpy, SLOWTOKEN_MEMCPY_COLUMNS, 64, 13)

// clang-format off
#define SLOWTOKEN_MEMSET_COLUMNS(X)                                                                         \
  X(1, start, start, kTime) X(2, end, end, kAfter) X(3, bytes, bytes, kNumber)                              \
  X(4, graph_node_id, graph_node_id, kNumber) X(5, graph_id, graph_id, kNumber) X(6, value, value, kNumber) \
  X(7, correlation, correlation, kNumber) X(8, lane, lane, kLane) X(9, memory, memory, kNumber)
// clang-format on
SLOWTOKEN_COLUMNS_OF(record::Memset, SLOWTOKEN_MEMSET_COLUMNS, 56, 9)

// clang-format off
#define SLOWTOKEN_GRAPH_LAUNCH_COLUMNS(X)                                            \
  X(1, start, start, kTime) X(2, end, end, kAfter) X(3, graph_id, graph_id, kNumber) \
  X(4, correlation, correlation, kNumber) X(5, lane, lane, kLane)
// clang-format on
SLOWTOKEN_COLUMNS_OF(record::GraphLaunch, SLOWTOKEN_GRAPH_LAUNCH_COLUMNS, 32, 5)

// clang-format off
#define SLOWTOKEN_SYNCHRONIZATION_COLUMNS(X)                                               \
  X(1, start, start, kTime) X(2, end, end, kAfter) X(3, correlation, correlation, kNumber) \
  X(4, event_id, event_id, kNumber) X(5, lane, lane, kLane) X(6, kind, kind, kNumber)
// clang-format on
SLOWTOKEN_COLUMNS_OF(record::Synchronization, SLOWTOKEN_SYNCHRONIZATION_COLUMNS, 32, 6)

// clang-format off
#define SLOWTOKEN_OVERHEAD_COLUMNS(X) \
  X(1, start, start, kTime) X(2, end, end, kAfter) X(3, thread, thread, kNumber) X(4, kind, kind, kNumber)
// clang-format on
SLOWTOKEN_COLUMNS_OF(record::Overhead, SLOWTOKEN_OVERHEAD_COLUMNS, 24, 4)

// clang-format off
#define SLOWTOKEN_NVTX_RANGE_COLUMNS(X)                                                         \
  X(1, start, start, kTime) X(2, end, end, kAfter) X(3, range_id, range_id, kNumber)            \
  X(4, message, message, kText) X(5, domain, domain, kNumber) X(6, category, category, kNumber) \
  X(7, color, color, kNumber) X(8, thread, thread, kNumber) X(9, end_thread, end_thread, kNumber)
// clang-format on
SLOWTOKEN_COLUMNS_OF(record::NvtxRange, SLOWTOKEN_NVTX_RANGE_COLUMNS, 72, 13)

// clang-format off
#define SLOWTOKEN_NVTX_MARK_COLUMNS(X)                                                \
  X(1, time, time, kTime) X(2, message, message, kText) X(3, domain, domain, kNumber) \
  X(4, category, category, kNumber) X(5, color, color, kNumber) X(6, thread, thread, kNumber)
// clang-format on
SLOWTOKEN_COLUMNS_OF(record::NvtxMark, SLOWTOKEN_NVTX_MARK_COLUMNS, 48, 10)

// Payload fields of ranges and marks: a nested list. Its count column and these, relative to the count column.
#define SLOWTOKEN_PAYLOAD_COLUMNS(X) X(1, type) X(2, name) X(3, bits)
static_assert(sizeof(record::PayloadField) == 16, "a member changed");

// Annotation: name, kind, present, values and rows are coded by hand (AnnotationColumn).
// clang-format off
#define SLOWTOKEN_ANNOTATION_COLUMNS(X)                                          \
  X(1, start, start, kTime) X(2, end, end, kAfter) X(5, thread, thread, kNumber) \
  X(6, end_thread, end_thread, kNumber) X(7, range_id, range_id, kNumber) X(8, present, present, kNumber)
// clang-format on
SLOWTOKEN_COLUMNS_OF(record::Annotation, SLOWTOKEN_ANNOTATION_COLUMNS, 40 + 8 + 31 * 8 + 16, 50)

enum AnnotationColumn : unsigned {
  kAnnotationName = 3,
  kAnnotationFlags = 4,
  kAnnotationRowCount = 9,
  kAnnotationFirstValue = 20,
};
enum AnnotationFlag : uint64_t { kAnnotationKindMask = 15, kAnnotationBatchIsSet = 16, kAnnotationHasRows = 32 };
static_assert(record::kAnnotationFieldCount == 31, "add the value column");

// X(enumerator of AnnotationField, column)
// clang-format off
#define SLOWTOKEN_ANNOTATION_VALUE_COLUMNS(X)                                                                   \
  X(kReqId, value_req_id) X(kParent, value_parent) X(kAlias, value_alias) X(kIterNo, value_iter_no)             \
  X(kEngine, value_engine) X(kDpRank, value_dp_rank) X(kPpMb, value_pp_mb) X(kN, value_n) X(kNNew, value_n_new) \
  X(kNPrompt, value_n_prompt) X(kMaxNew, value_max_new) X(kCachedTok, value_cached_tok)                         \
  X(kExtCachedTok, value_ext_cached_tok) X(kWaitReason, value_wait_reason)                                      \
  X(kFinishReason, value_finish_reason) X(kFlags, value_flags) X(kKvUsed, value_kv_used)                        \
  X(kKvTotal, value_kv_total) X(kWaiting, value_waiting) X(kSeq, value_seq) X(kBlocks, value_blocks)            \
  X(kBytes, value_bytes) X(kUsed, value_used) X(kTotal, value_total) X(kPeer, value_peer)                       \
  X(kClass, value_class) X(kTrace, value_trace) X(kName, value_name)                          \
  X(kNPrefill, value_n_prefill) X(kNDecode, value_n_decode) X(kPrefillTok, value_prefill_tok)
// clang-format on

// Batch rows of annotations and iteration summaries, relative to the count column.
#define SLOWTOKEN_ROW_COLUMNS(X) X(1, req) X(2, tokens) X(3, kind) X(4, op)
static_assert(sizeof(record::BatchRow) == 16, "a member changed");

// clang-format off
#define SLOWTOKEN_CLOCK_COLUMNS(X)                                                                      \
  X(1, monotonic, monotonic, kTime) X(2, realtime, realtime, kNumber) X(3, boottime, boottime, kNumber) \
  X(4, tsc, tsc, kNumber) X(5, cupti, cupti, kNumber) X(6, uncertainty_ns, uncertainty_ns, kNumber)
// clang-format on
SLOWTOKEN_COLUMNS_OF(record::ClockSnapshot, SLOWTOKEN_CLOCK_COLUMNS, 48, 6)

// clang-format off
#define SLOWTOKEN_OWN_COST_COLUMNS(X)                                                                         \
  X(1, time, time, kTime) X(2, worker_cpu_ns, worker_cpu_ns, kNumber) X(3, callback_ns, callback_ns, kNumber) \
  X(4, memory_bytes, memory_bytes, kNumber) X(5, bytes_written, bytes_written, kNumber)                       \
  X(6, flush_cpu_ns, flush_cpu_ns, kNumber) X(7, cupti_overhead_ns, cupti_overhead_ns, kNumber)
// clang-format on
SLOWTOKEN_COLUMNS_OF(record::OwnCost, SLOWTOKEN_OWN_COST_COLUMNS, 64, 7)

// clang-format off
#define SLOWTOKEN_REQUEST_SUMMARY_COLUMNS(X)                                                                  \
  X(1, arrival, arrival, kTime) X(2, end, end, kAfter) X(3, req, req, kRequest)                               \
  X(4, has_ttft, has_ttft, kNumber) X(5, finish, finish, kNumber) X(6, flags, flags, kNumber)                 \
  X(7, ttft_ns, ttft_ns, kNumber) X(8, prompt, prompt, kNumber) X(9, cached, cached, kNumber)                 \
  X(10, tokens, tokens, kNumber) X(11, gaps, gaps, kNumber) X(12, gpu_share_ns, gpu_share_ns, kNumber)        \
  X(13, prefill_gpu_ns, prefill_gpu_ns, kNumber) X(14, prefill_collective_ns, prefill_collective_ns, kNumber) \
  X(15, prefill_idle_ns, prefill_idle_ns, kNumber) X(16, preemptions, preemptions, kNumber)                   \
  X(17, iterations, iterations, kNumber) X(22, is_slow, is_slow, kNumber)                                     \
  X(23, largest_phase, largest_phase, kNumber) X(24, excess_ns, excess_ns, kNumber)                           \
  SLOWTOKEN_FINDING_MEMBERS(X, 25, finding.)
// clang-format on
SLOWTOKEN_COLUMNS_OF(record::RequestSummary, SLOWTOKEN_REQUEST_SUMMARY_COLUMNS, 384, 39)

// The fixed arrays of summaries: mask column and, right behind it, values column.
inline constexpr unsigned kRequestPhaseMask = 18;
inline constexpr unsigned kRequestQueueMask = 20;
inline constexpr unsigned kGapPhaseMask = 13;

// clang-format off
#define SLOWTOKEN_GAP_SUMMARY_COLUMNS(X)                                                                \
  X(1, start, start, kTime) X(2, req, req, kRequest) X(3, n, n, kNumber) X(4, n_new, n_new, kNumber)    \
  X(5, gap_ns, gap_ns, kNumber) X(6, has_interference, has_interference, kNumber)                       \
  X(7, interference_est_ns, interference_est_ns, kNumber) X(8, median_used_ns, median_used_ns, kNumber) \
  X(9, is_stall, is_stall, kNumber) X(10, largest_phase, largest_phase, kNumber)                        \
  X(11, excess_ns, excess_ns, kNumber) X(12, flags, flags, kNumber)                                     \
  SLOWTOKEN_FINDING_MEMBERS(X, 15, finding.)
// clang-format on
SLOWTOKEN_COLUMNS_OF(record::GapSummary, SLOWTOKEN_GAP_SUMMARY_COLUMNS, 288, 29)

// clang-format off
#define SLOWTOKEN_ITERATION_SUMMARY_COLUMNS(X)                                                                \
  X(1, start, start, kTime) X(2, end, end, kAfter) X(3, iter, key.iter, kNumber)                              \
  X(4, engine, key.engine, kNumber) X(5, dp_rank, key.dp_rank, kNumber) X(6, gpu_start, gpu_start, kAfter)    \
  X(7, gpu_end, gpu_end, kAfter) X(8, sample_end, sample_end, kAfter) X(9, gpu_busy_ns, gpu_busy_ns, kNumber) \
  X(10, collective_ns, collective_ns, kNumber) X(11, kernels, kernels, kNumber)                               \
  X(12, graph_launches, graph_launches, kNumber) X(13, graph, graph, kNumber) X(14, dummy, dummy, kNumber)    \
  X(15, piecewise, piecewise, kNumber) X(16, batch_known, batch_known, kNumber)                               \
  X(17, prefill_rows, prefill_rows, kNumber) X(18, decode_rows, decode_rows, kNumber)                         \
  X(19, prefill_tokens, prefill_tokens, kNumber) X(20, kv_used, kv_used, kNumber)                             \
  X(21, kv_total, kv_total, kNumber) X(22, waiting, waiting, kNumber) X(23, present, present, kNumber)
// clang-format on
SLOWTOKEN_COLUMNS_OF(record::IterationSummary, SLOWTOKEN_ITERATION_SUMMARY_COLUMNS, 144, 28)

// clang-format off
#define SLOWTOKEN_HISTOGRAM_COLUMNS(X)                                                  \
  X(1, metric, metric, kNumber) X(2, label, label, kNumber) X(3, count, count, kNumber) \
  X(4, sum_ns, sum_ns, kNumber) X(5, max_ns, max_ns, kNumber)
// clang-format on
SLOWTOKEN_COLUMNS_OF(record::HistogramSnapshot, SLOWTOKEN_HISTOGRAM_COLUMNS, 56, 8)
#define SLOWTOKEN_BUCKET_COLUMNS(X) X(1, index) X(2, value)
static_assert(sizeof(record::HistogramBucket) == 16, "a member changed");

// clang-format off
#define SLOWTOKEN_DETAIL_CHANGE_COLUMNS(X)                                                     \
  X(1, time, time, kTime) X(2, level, level, kNumber) X(3, reason, reason, kNumber)            \
  X(4, keep_one_in, keep_one_in, kNumber) X(5, cost_ppm, cost_ppm, kNumber)                    \
  X(6, budget_ppm, budget_ppm, kNumber) X(7, unit, unit, kNumber)
// clang-format on
SLOWTOKEN_COLUMNS_OF(record::DetailChange, SLOWTOKEN_DETAIL_CHANGE_COLUMNS, 32, 7)

// clang-format off
#define SLOWTOKEN_TRIGGER_COLUMNS(X)                                                                            \
  X(1, time, time, kTime) X(2, window_start, window_start, kAfter) X(3, window_end, window_end, kAfter)         \
  X(4, id, id, kNumber) X(5, pid, pid, kNumber) X(6, n, n, kNumber) X(7, req, req, kRequest)                    \
  X(8, value_ns, value_ns, kNumber) X(9, limit_ns, limit_ns, kNumber) X(10, text, text, kText)                  \
  X(11, kind, kind, kNumber)
// clang-format on
SLOWTOKEN_COLUMNS_OF(record::Trigger, SLOWTOKEN_TRIGGER_COLUMNS, 72, 11)

// clang-format off
#define SLOWTOKEN_COUNTER_COLUMNS(X)                                                       \
  X(1, counter, counter, kNumber) X(2, label, label, kNumber) X(3, detail, detail, kNumber) \
  X(4, value, value, kNumber)
// clang-format on
SLOWTOKEN_COLUMNS_OF(record::CounterSnapshot, SLOWTOKEN_COUNTER_COLUMNS, 24, 4)

// clang-format off
#define SLOWTOKEN_DEVICE_SAMPLE_COLUMNS(X)                                                                   \
  X(1, time, time, kTime) X(2, device, device, kNumber) X(3, present, present, kNumber)                      \
  X(4, sm_clock_mhz, sm_clock_mhz, kNumber) X(5, memory_clock_mhz, memory_clock_mhz, kNumber)                \
  X(6, power_mw, power_mw, kNumber) X(7, temperature_c, temperature_c, kNumber)                              \
  X(8, throttle_reasons, throttle_reasons, kNumber) X(9, gpu_utilization, gpu_utilization, kNumber)          \
  X(10, memory_utilization, memory_utilization, kNumber) X(11, memory_used, memory_used, kNumber)
// clang-format on
SLOWTOKEN_COLUMNS_OF(record::DeviceSample, SLOWTOKEN_DEVICE_SAMPLE_COLUMNS, 64, 11)

// clang-format off
#define SLOWTOKEN_OFF_CPU_COLUMNS(X) \
  X(1, start, start, kTime) X(2, end, end, kAfter) X(3, thread, thread, kNumber) X(4, reason, reason, kNumber) \
  X(5, migrated, migrated, kNumber)
// clang-format on
SLOWTOKEN_COLUMNS_OF(record::OffCpu, SLOWTOKEN_OFF_CPU_COLUMNS, 24, 5)

// clang-format off
#define SLOWTOKEN_CPU_SAMPLE_COLUMNS(X)                                                                        \
  X(1, start, start, kTime) X(2, end, end, kAfter) X(3, thread, thread, kNumber) X(4, ran_ns, ran_ns, kNumber) \
  X(5, waited_ns, waited_ns, kNumber) X(6, exact, exact, kNumber)
// clang-format on
SLOWTOKEN_COLUMNS_OF(record::CpuSample, SLOWTOKEN_CPU_SAMPLE_COLUMNS, 40, 6)

// clang-format off
#define SLOWTOKEN_HOST_SAMPLE_COLUMNS(X)                                                     \
  X(1, start, start, kTime) X(2, end, end, kAfter) X(3, throttled_ns, throttled_ns, kNumber) \
  X(4, major_faults, major_faults, kNumber)
// clang-format on
SLOWTOKEN_COLUMNS_OF(record::HostSample, SLOWTOKEN_HOST_SAMPLE_COLUMNS, 40, 4)

// Structs that chunk_writer.cc writes field by field: a new member must be added there, in the proto and in
// reader/decode_state.cc.
static_assert(sizeof(record::DeviceInfo) == 64 && sizeof(record::ContextInfo) == 12 &&
              sizeof(record::StreamInfo) == 16);
static_assert(sizeof(record::ThreadInfo) == 12 && sizeof(record::NvtxDomainInfo) == 12);
static_assert(sizeof(record::NvtxCategoryInfo) == 16 && sizeof(record::SourceStatus) == 32);
static_assert(sizeof(record::CaptureTotals) == 64 && sizeof(record::Advance) == 24);
static_assert(sizeof(record::Condition) == 12);

// Count columns of the nested lists.
inline constexpr unsigned kRangeFieldCount = 10;
inline constexpr unsigned kMarkFieldCount = 7;
inline constexpr unsigned kIterationRowCount = 24;
inline constexpr unsigned kHistogramBucketCount = 6;

// Kernels and API calls are coded by hand (KernelColumns, ApiCallColumns); what repeats of them is a site.
struct KernelSite {
  uint64_t graph_node_id = 0;
  uint32_t shape = 0;
  uint32_t lane = 0;
  uint32_t graph_id = 0;
  bool operator==(const KernelSite&) const = default;
  static KernelSite Of(const record::Kernel& k) { return {k.graph_node_id, k.shape, k.lane, k.graph_id}; }
  // == Of(k), at once.
  bool IsPlaceOf(const record::Kernel& k) const {
    return graph_node_id == k.graph_node_id && graph_id == k.graph_id &&
           base::WordAt(this, offsetof(KernelSite, shape)) == base::WordAt(&k, offsetof(record::Kernel, shape));
  }
};
static_assert(offsetof(record::Kernel, lane) == offsetof(record::Kernel, shape) + 4);
static_assert(offsetof(KernelSite, lane) == offsetof(KernelSite, shape) + 4);
static_assert(sizeof(record::Kernel) == 48, "a member changed");
// clang-format off
#define SLOWTOKEN_KERNEL_SITE_COLUMNS(X)                                                              \
  X(5, site_shape, shape, kShape) X(6, site_lane, lane, kLane) X(7, site_graph_id, graph_id, kNumber) \
  X(8, site_graph_node_id, graph_node_id, kNumber)
// clang-format on
SLOWTOKEN_COLUMNS_OF(KernelSite, SLOWTOKEN_KERNEL_SITE_COLUMNS, 24, 8)

// In the order of record::ApiCall.
struct ApiCallSite {
  uint32_t cbid = 0;
  int32_t return_value = 0;
  record::ThreadId thread = 0;
  record::StringId name = 0;
  record::ApiDomain domain{};
  record::ApiClass api_class{};
  bool captured = false;
  bool operator==(const ApiCallSite&) const = default;
  static ApiCallSite Of(const record::ApiCall& c) {
    return {c.cbid, c.return_value, c.thread, c.name, c.domain, c.api_class, c.captured};
  }
  // == Of(c), at once.
  bool IsPlaceOf(const record::ApiCall& c) const {
    constexpr size_t kFirst = offsetof(record::ApiCall, cbid);
    constexpr uint32_t kLastThree = std::endian::native == std::endian::little ? 0x00ffffff : 0xffffff00;
    return base::WordAt(this, 0) == base::WordAt(&c, kFirst) && base::WordAt(this, 8) == base::WordAt(&c, kFirst + 8) &&
           ((base::WordAt<uint32_t>(this, 16) ^ base::WordAt<uint32_t>(&c, kFirst + 16)) & kLastThree) == 0;
  }
};
#define SLOWTOKEN_SAME_PLACE(member) \
  static_assert(offsetof(ApiCallSite, member) + offsetof(record::ApiCall, cbid) == offsetof(record::ApiCall, member))
SLOWTOKEN_SAME_PLACE(return_value);
SLOWTOKEN_SAME_PLACE(thread);
SLOWTOKEN_SAME_PLACE(name);
SLOWTOKEN_SAME_PLACE(domain);
SLOWTOKEN_SAME_PLACE(api_class);
SLOWTOKEN_SAME_PLACE(captured);
#undef SLOWTOKEN_SAME_PLACE
static_assert(offsetof(ApiCallSite, captured) == 18 && sizeof(ApiCallSite) == 20);
static_assert(sizeof(record::ApiCall) == 48, "a member changed");
// clang-format off
#define SLOWTOKEN_API_CALL_SITE_COLUMNS(X)                                                                \
  X(5, site_cbid, cbid, kNumber) X(6, site_domain, domain, kNumber) X(7, site_class, api_class, kNumber)  \
  X(8, site_captured, captured, kNumber) X(9, site_thread, thread, kNumber) X(10, site_name, name, kText) \
  X(11, site_return_value, return_value, kNumber)
// clang-format on
SLOWTOKEN_COLUMNS_OF(ApiCallSite, SLOWTOKEN_API_CALL_SITE_COLUMNS, 20, 11)

// clang-format on

// Columns of kernels and API calls outside their sites.
enum SiteBatchColumn : unsigned {
  kSiteColumn = 1,
  kGapColumn = 2,
  kDurationColumn = 3,
  kCorrelationColumn = 4,
  kFirstSiteColumn = 5
};

}  // namespace slowtoken::trace
