// Every way in which something can be lost, by cause: the X-macro table and the counters (host-safety rule 7).
// Add() may be called from any thread, costs one relaxed atomic add, and never fails. The worker copies the counters
// into each chunk; each report prints those that are not zero. Names are frozen: they are public (report JSON,
// metrics).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace slowtoken::base {

// X(enumerator, public name, what was lost and why)
#define SLOWTOKEN_LOSS_TABLE(X)                                                                                      \
  X(kCuptiDropped, "cupti_dropped", "activity records CUPTI itself reported as dropped")                             \
  X(kCuptiDroppedUnknown, "cupti_dropped_unknown", "times CUPTI refused to say how many it dropped")                 \
  X(kNoActivityBuffer, "no_activity_buffer", "buffer requests answered with none: the pool was empty")               \
  X(kBufferKeptByCupti, "buffer_kept_by_cupti", "activity buffers CUPTI had not returned by the end")                \
  X(kReserveBufferDiscarded, "reserve_buffer_discarded", "records in the reserve buffer, thrown away unread")        \
  X(kUnknownRecordKind, "unknown_record_kind", "activity records of a kind this version does not know")              \
  X(kZeroTimestamp, "zero_timestamp", "GPU records without a time (start or end 0)")                                 \
  X(kUnfinishedRecord, "unfinished_record", "GPU records handed out while still running")                            \
  X(kBadTimestamp, "bad_timestamp", "records whose times cannot be true (end before start, another clock)")          \
  X(kNvtxRingFull, "nvtx_ring_full", "NVTX events dropped: no room left in the rings")                               \
  X(kUnreadAtEnd, "unread_at_end", "NVTX events left unread when the time at exit was over")                         \
  X(kNoThreadRing, "no_thread_ring", "NVTX events dropped: no ring left for a new thread")                           \
  X(kNvtxTextTruncated, "nvtx_text_truncated", "NVTX texts cut to the limit")                                        \
  X(kNvtxUnbalanced, "nvtx_unbalanced", "pops without push, ends without start")                                     \
  X(kRangeTableFull, "range_table_full", "iteration ranges dropped: too many a second to keep")                      \
  X(kMalformedAnnotation, "malformed_annotation", "llmserve texts that do not parse; kept as plain ranges")          \
  X(kPayloadUndecoded, "payload_undecoded", "NVTX payloads whose schema is unknown or whose bytes end early")        \
  X(kNamesFull, "names_full", "names recorded as empty: the table of names was full")                                \
  X(kShapesFull, "shapes_full", "kernel launch shapes not kept: the table was full")                                 \
  X(kLanesFull, "lanes_full", "device, context and stream lanes not kept: the table was full")                       \
  X(kChunkWriteFailed, "chunk_write_failed", "chunks not written: the file system refused")                          \
  X(kTraceCapped, "trace_capped", "events not written: the trace had reached its size cap (--max-trace)")            \
  X(kTraceFileRemoved, "trace_file_removed", "trace files deleted while written; a new one was begun")               \
  X(kEventTooLarge, "event_too_large", "events that do not fit into a chunk")                                        \
  X(kPendingGpuEvicted, "pending_gpu_evicted",                                                                       \
    "GPU records given up while waiting: no room, or the iteration was final")                                       \
  X(kPendingLaunchEvicted, "pending_launch_evicted", "launches given up while waiting for their iteration")          \
  X(kRequestsEvicted, "requests_evicted", "requests forgotten before they finished: too many at once")               \
  X(kIterationsEvicted, "iterations_evicted", "iterations forgotten early: too many at once")                        \
  X(kIntervalsCoarsened, "intervals_coarsened", "GPU intervals merged with a neighbour: the pool was full")          \
  X(kBatchUnknown, "batch_unknown", "iterations whose batch could not be told: a batch mark was lost")               \
  X(kTokensEvicted, "tokens_evicted", "token and send records not kept: the pool was full")                          \
  X(kThreadStatesFull, "thread_states_full", "times off the CPU forgotten early: too many a second to keep")         \
  X(kWaitsUnwatched, "waits_unwatched", "waits not watched for triggers: too many requests at once")                 \
  X(kDumpChunksLost, "dump_chunks_lost", "chunks missing in a dump: the ring had given them up, or no room")         \
  X(kSwitchesLost, "switches_lost", "context-switch records the kernel dropped, or more: a ring was full")           \
  X(kThreadsUnwatched, "threads_unwatched", "threads whose CPU states were not watched: too many at once")           \
  X(kFaultedCall, "faulted_call", "CUPTI calls that failed; the feature behind it is off")                           \
  X(kCaptureForgotten, "capture_forgotten", "stream captures forgotten before they ended: captured calls look real") \
  X(kSampleCut, "sample_cut", "events of a sampled trace left out: too many waited to be told apart")                \
  X(kRuleLines, "rule_lines", "lines of the rule pack (--rules) left out: they are no rules")                        \
  X(kGpuWithoutCall, "gpu_without_call", "GPU records whose API call was not recorded")

enum class Loss : uint8_t {
#define SLOWTOKEN_LOSS_ENUM(id, name, text) id,
  SLOWTOKEN_LOSS_TABLE(SLOWTOKEN_LOSS_ENUM)
#undef SLOWTOKEN_LOSS_ENUM
};

inline constexpr const char* kLossNames[] = {
#define SLOWTOKEN_LOSS_NAME(id, name, text) name,
    SLOWTOKEN_LOSS_TABLE(SLOWTOKEN_LOSS_NAME)
#undef SLOWTOKEN_LOSS_NAME
};

inline constexpr const char* kLossTexts[] = {
#define SLOWTOKEN_LOSS_TEXT(id, name, text) text,
    SLOWTOKEN_LOSS_TABLE(SLOWTOKEN_LOSS_TEXT)
#undef SLOWTOKEN_LOSS_TEXT
};

inline constexpr size_t kLossCount = sizeof(kLossNames) / sizeof(kLossNames[0]);

class LossCounters {
 public:
  void Add(Loss cause, uint64_t count = 1) {
    counts_[static_cast<size_t>(cause)].fetch_add(count, std::memory_order_relaxed);
  }
  uint64_t Get(Loss cause) const { return counts_[static_cast<size_t>(cause)].load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<uint64_t>, kLossCount> counts_{};
};

}  // namespace slowtoken::base
