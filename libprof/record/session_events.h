// What the recorder says about itself and its clocks. Plain data.
#pragma once

#include <array>
#include <string_view>

#include "base/loss.h"
#include "record/ids.h"

namespace slowtoken::record {

// All clocks read together: MONOTONIC bracketed (uncertainty = half the bracket). cupti = cuptiGetTimestamp, 0 if not
// available. Pairs of snapshots convert TSC and CUPTI times to CLOCK_MONOTONIC.
struct ClockSnapshot {
  TimeNs monotonic = 0;
  TimeNs realtime = 0;
  TimeNs boottime = 0;
  uint64_t tsc = 0;
  uint64_t cupti = 0;
  uint32_t uncertainty_ns = 0;
  ProcessIndex process = 0;
};

// Totals since the start of the process, by cause.
struct LossTotals {
  std::array<uint64_t, base::kLossCount> counts{};
  ProcessIndex process = 0;
};

// How a source of events stands.
enum class SourceState : uint8_t {
  kUnknown,
  kActive,
  kNotFound,
  kRefused,
  kNoDriver,
  kVersionUnsupported,
  kFailed,
  kLost,
  kPaused
};
// kThreads: the states of the watched threads (thread_states.h), which no attribution depends on: never blind.
enum class Source : uint8_t { kCupti, kNvtx, kNccl, kThreads };

// Why a source that should record does not. From a status with a reason until the source's next status that is active
// and has none, it was blind: what happened in between is missing from the trace. Names are frozen: they are public
// (report JSON, metrics).
// X(enumerator, public name, what happened)
#define SLOWTOKEN_BLIND_REASONS(X)                                                                     \
  X(kNone, "none", "")                                                                                 \
  X(kPaused, "paused", "the program stopped the recording")                                            \
  X(kOtherTool, "other_tool", "another tool held CUPTI when slowtoken came")                           \
  X(kBuffersTaken, "buffers_taken", "another tool took the buffers or the record kinds of CUPTI over") \
  X(kTornDown, "torn_down", "CUPTI was torn down, by a fatal error or by another tool")                \
  X(kRearmFailed, "rearm_failed", "CUPTI was free again and gave no records all the same")             \
  X(kOther, "other", "a reason that a later version of slowtoken knows")                               \
  X(kRecordsLost, "records_lost", "records came faster than slowtoken could take them over")           \
  X(kTraceDamaged, "trace_damaged", "a part of the trace is damaged or was never written")
enum class BlindReason : uint8_t {
#define SLOWTOKEN_BLIND_ENUM(id, name, text) id,
  SLOWTOKEN_BLIND_REASONS(SLOWTOKEN_BLIND_ENUM)
#undef SLOWTOKEN_BLIND_ENUM
};

#define SLOWTOKEN_BLIND_NAME(id, name, text) name,
inline constexpr const char* kBlindReasonNames[] = {SLOWTOKEN_BLIND_REASONS(SLOWTOKEN_BLIND_NAME)};
#undef SLOWTOKEN_BLIND_NAME
#define SLOWTOKEN_BLIND_TEXT(id, name, text) text,
inline constexpr const char* kBlindReasonTexts[] = {SLOWTOKEN_BLIND_REASONS(SLOWTOKEN_BLIND_TEXT)};
#undef SLOWTOKEN_BLIND_TEXT
inline constexpr size_t kBlindReasonCount = sizeof(kBlindReasonNames) / sizeof(kBlindReasonNames[0]);

struct SourceStatus {
  Source source = Source::kCupti;
  SourceState state = SourceState::kUnknown;
  BlindReason reason = BlindReason::kNone;
  int32_t error = 0;     // CUptiResult where there is one
  uint32_t version = 0;  // CUPTI_API_VERSION found, 0 if none
  StringId detail = 0;   // one line for people: what failed and what to do
  TimeNs time = 0;       // since when; may lie before what made it known
  ProcessIndex process = 0;

  bool BeginsBlind() const { return reason != BlindReason::kNone; }
  bool EndsBlind() const { return state == SourceState::kActive && reason == BlindReason::kNone; }
};

// Everything that happened up to `watermark` and that will ever be known has been delivered before this event.
// Attribution makes its summaries final here; between two of these the order of events carries no meaning.
struct Advance {
  TimeNs watermark = 0;
  TimeNs now = 0;  // when the worker said so
  ProcessIndex process = 0;
};

// The recorder's own cost since the process started. `own_ns` is what is set against the budget: CPU time of ours, on
// whatever thread. What CUPTI states of itself is apart: on our thread it is part of the flush, on others nothing that
// we leave out would lower it.
struct OwnCost {
  TimeNs time = 0;
  uint64_t worker_cpu_ns = 0;
  uint64_t callback_ns = 0;  // host-thread time inside our call-backs, estimated from sampled calls
  uint64_t memory_bytes = 0;
  uint64_t bytes_written = 0;
  uint64_t flush_cpu_ns = 0;       // the worker's CPU time inside cuptiActivityFlushAll; part of worker_cpu_ns
  uint64_t cupti_overhead_ns = 0;  // what CUPTI itself reports as its own overhead, on whatever thread
  ProcessIndex process = 0;

  uint64_t own_ns() const { return worker_cpu_ns + callback_ns; }
};

// Counts that coverage is judged by; totals since the start.
struct CaptureTotals {
  uint64_t launches = 0;           // successful kernel and graph launches seen, outside stream capture
  uint64_t launches_captured = 0;  // inside stream capture
  uint64_t kernels = 0;
  uint64_t graph_launches = 0;
  uint64_t memcpys = 0;
  uint64_t nvtx_events = 0;
  uint64_t annotations = 0;
  ProcessIndex process = 0;
};

}  // namespace slowtoken::record
