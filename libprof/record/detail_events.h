// How much detail is kept, and what made us keep it: levels, their changes, and triggers of the flight ring. Plain
// data.
#pragma once

#include "record/ids.h"

namespace slowtoken::record {

// What of the events goes into the trace. Attribution always sees all of them.
enum class DetailLevel : uint8_t {
  kFull,
  kSampled,      // annotations, and of GPU work, API calls and ranges those of one iteration in `keep_one_in`
  kMetrics,      // summaries, histograms and counters only
  kAnnotations,  // those, and the annotations of requests and iterations
};
// Names of the levels: in reports and metrics. Frozen.
inline constexpr const char* kDetailLevelNames[] = {"full", "sampled", "metrics", "annotations"};

// What is kept whole of a sampled trace: some iterations, or the iterations that compute for some requests.
enum class SampleUnit : uint8_t { kIterations, kRequests };
inline constexpr const char* kSampleUnitNames[] = {"iterations", "requests"};

enum class DetailReason : uint8_t {
  kStart,   // as the mode says
  kBudget,  // own cost above the budget: one step down
  kSpare,   // own cost well below the budget: one step up again
  kAsked,   // by the user, through the control socket or the C API
  kCapped,  // the trace has reached its size cap: for good
};
inline constexpr const char* kDetailReasonNames[] = {"start", "budget", "spare", "asked", "capped"};

// From `time` on the trace holds `level`: what was launched earlier is kept or left out as the level before says. The
// newest one stands at the head of each chunk.
struct DetailChange {
  TimeNs time = 0;
  DetailLevel level = DetailLevel::kFull;
  DetailReason reason = DetailReason::kStart;
  SampleUnit unit = SampleUnit::kIterations;
  uint32_t keep_one_in = 1;
  uint32_t cost_ppm = 0;    // own cost when it was decided, in millionths of one CPU
  uint32_t budget_ppm = 0;  // 0 = no budget
  ProcessIndex process = 0;
};

enum class TriggerKind : uint8_t {
  kUnknown,
  kSloTtft,  // a first token later than --slo=ttft:…
  kSloItl,   // a gap longer than --slo=itl:…
  kStall,    // a gap that is a stall by the running median
  kControl,  // slowtoken ctl snapshot
  kProgram,  // slowtoken_snapshot()
};

// Names of the kinds: in dumps' folders, reports, metrics. Frozen.
inline constexpr const char* kTriggerKindNames[] = {"unknown", "slo_ttft", "slo_itl", "stall", "control", "program"};

// The flight ring is dumped from window_start to window_end because of this. Every process of the run on the host dumps
// the same window and writes the same trigger.
struct Trigger {
  TimeNs time = 0;
  TimeNs window_start = 0;
  TimeNs window_end = 0;
  uint64_t id = 0;        // the same in every process that dumped for it
  uint32_t pid = 0;       // of the process that saw it
  uint32_t n = 0;         // kSloItl, kStall: the token, as GapSummary::n; of an unfinished gap the one waited for
  RequestId req = 0;      // kSloTtft, kSloItl, kStall
  uint64_t value_ns = 0;  // how long the wait had been when it fired
  uint64_t limit_ns = 0;  // what it passed
  StringId text = 0;      // kControl: what the user wrote
  TriggerKind kind = TriggerKind::kUnknown;
  ProcessIndex process = 0;
};

}  // namespace slowtoken::record
