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

// Why a source of events is silent. Written once when it is found out.
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
enum class Source : uint8_t { kCupti, kNvtx, kNccl };

struct SourceStatus {
  Source source = Source::kCupti;
  SourceState state = SourceState::kUnknown;
  int32_t error = 0;     // CUptiResult where there is one
  uint32_t version = 0;  // CUPTI_API_VERSION found, 0 if none
  StringId detail = 0;   // one line for people: what failed and what to do
  TimeNs time = 0;
  ProcessIndex process = 0;
};

// Everything that happened up to `watermark` and that will ever be known has been delivered before this event.
// Attribution makes its summaries final here; between two of these the order of events carries no meaning.
struct Advance {
  TimeNs watermark = 0;
  TimeNs now = 0;  // when the worker said so
  ProcessIndex process = 0;
};

// The recorder's own cost since the process started.
struct OwnCost {
  TimeNs time = 0;
  uint64_t worker_cpu_ns = 0;
  uint64_t callback_ns = 0;  // host-thread time inside our call-backs, estimated from sampled calls
  uint64_t memory_bytes = 0;
  uint64_t bytes_written = 0;
  ProcessIndex process = 0;
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
