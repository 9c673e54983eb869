// What attribution/ concludes: per request, per gap, per iteration, and histograms. Made by the worker (then written
// into the trace) and, from the same events, offline. Times on CLOCK_MONOTONIC, durations in ns. Plain data.
#pragma once

#include <span>

#include "record/annotation.h"
#include "record/causes.h"
#include "record/phases.h"

namespace slowtoken::record {

// How much the summary could rest on. A frontend sees arrivals and sends, a worker iterations and kernels; the reader
// joins what several processes saw by attributing over their events together.
enum SummaryFlag : uint16_t {
  kSawArrival = 1,       // `req` began in what was read
  kSawFinish = 2,        // `req` ended, or req.finish
  kSawTokens = 4,        // req.token marks
  kSawSends = 8,         // every emission has its req.send, so sends were used
  kSawIterations = 16,   // its iterations and batch rows
  kSawGpu = 32,          // GPU records of its iterations
  kPartial = 64,         // made at a deadline or at the end, before everything had arrived
  kOverlapsBlind = 128,  // a source was blind during the gap; of a request, before its first token (without one: ever)
  kFewSamples = 256,     // a stall or a slow first token by the fixed threshold: too few came before it to know medians
};

// One request. ttft_ns and ttft_phases are valid only with has_ttft (it is null if no token came).
struct RequestSummary {
  RequestId req = 0;
  TimeNs arrival = 0;
  TimeNs end = 0;  // end of `req`, else of its last emission
  bool has_ttft = false;
  FinishReason finish = FinishReason::kUnfinished;
  uint16_t flags = 0;
  ProcessIndex process = 0;
  uint64_t ttft_ns = 0;
  TtftPhases ttft_phases{};
  std::array<uint64_t, 7> queue_by{};  // `queue` split by WaitReason; kOther also where no reason was given
  uint64_t prompt = 0;
  uint64_t cached = 0;
  uint64_t tokens = 0;                 // generated
  uint64_t gaps = 0;                   // emissions - 1
  uint64_t gpu_share_ns = 0;           // share view: its part of the GPU time of its iterations, by tokens
  uint64_t prefill_gpu_ns = 0;         // inside `prefill`: GPU busy with own iterations
  uint64_t prefill_collective_ns = 0;  // inside `prefill`: a collective and nothing else
  uint64_t prefill_idle_ns = 0;        // inside `prefill`: GPU idle
  uint32_t preemptions = 0;
  uint32_t iterations = 0;
  bool is_slow = false;                                // its first token is slow
  TtftPhase largest_phase = TtftPhase::kUnattributed;  // of a slow one: as of a stall
  uint64_t excess_ns = 0;
  CauseFinding finding;
};

// One gap between two emissions of a request. `n` is the index of the last token of the later emission, from 1.
struct GapSummary {
  RequestId req = 0;
  uint32_t n = 0;
  uint32_t n_new = 0;
  TimeNs start = 0;  // the earlier emission's instant
  uint64_t gap_ns = 0;
  GapPhases phases{};
  bool has_interference = false;
  uint64_t interference_est_ns = 0;  // what other requests' prefill in the same iterations cost, estimated
  uint64_t median_used_ns = 0;       // the running median behind the estimate
  bool is_stall = false;
  GapPhase largest_phase = GapPhase::kUnattributed;  // stalls: the phase of largest excess over its running median
  uint64_t excess_ns = 0;
  CauseFinding finding;  // stalls
  uint16_t flags = 0;
  ProcessIndex process = 0;
};

// Of IterationSummary::present: the engine said how many rows there are, though perhaps not whose.
inline constexpr uint32_t kIterationSaysCounts = 8;

// One iteration as far as this reader could join it.
struct IterationSummary {
  IterationKey key;
  TimeNs start = 0;  // of `iter` (else of its earliest part)
  TimeNs end = 0;
  TimeNs gpu_start = 0;  // GPU work without sampling; 0 = none seen
  TimeNs gpu_end = 0;
  TimeNs sample_end = 0;
  uint64_t gpu_busy_ns = 0;  // union of its GPU work
  uint64_t collective_ns = 0;
  uint32_t kernels = 0;  // all kernels, sampling included; at graph-launch level those outside graphs
  uint32_t graph_launches = 0;
  bool graph = false;  // at least one graph launch
  bool dummy = false;
  bool piecewise = false;
  bool batch_known = false;
  uint32_t prefill_rows = 0;
  uint32_t decode_rows = 0;
  uint32_t prefill_tokens = 0;
  uint64_t kv_used = 0;
  uint64_t kv_total = 0;
  uint64_t waiting = 0;
  uint32_t present = 0;            // bit 0 kv_used, bit 1 kv_total, bit 2 waiting, bit 3 kIterationSaysCounts
  ProcessIndex process = 0;        // of the process that emitted `iter`
  std::span<const BatchRow> rows;  // valid during the call

  // Whether prefill_rows, decode_rows and prefill_tokens are known.
  bool has_counts() const { return batch_known || (present & kIterationSaysCounts) != 0; }
};

// X(enumerator, name): the distributions attribution keeps. Phase histograms carry a phase index as `label`.
enum class Metric : uint8_t { kTtft, kTtftPhase, kItlStep, kItlToken, kItlPhase, kLaunchDelay, kLaunchApi };

// A cumulative histogram since the start of the process: sparse pairs (bucket index, count) of attribution/histogram.h.
struct HistogramBucket {
  uint32_t index = 0;
  uint64_t count = 0;
};
struct HistogramSnapshot {
  Metric metric = Metric::kTtft;
  uint8_t label = 0;
  uint64_t count = 0;
  uint64_t sum_ns = 0;
  uint64_t max_ns = 0;
  std::span<const HistogramBucket> buckets;
  ProcessIndex process = 0;
};

// Counters of attribution, cumulative since the start of the process.
enum class Counter : uint8_t {
  kRequests,         // label: FinishReason
  kTokens,           // label: TokenKind
  kIterations,       // label: IterationKind
  kStalls,           // label: the cause (0 = unknown)
  kSlowFirstTokens,  // label: the cause (0 = unknown)
  kLaunchesDelayed,  // launches whose GPU work began after the call had returned
  kGpuBusyNs,        // label: DeviceInfo::ordinal
  kGpuIdleNs,        // label: DeviceInfo::ordinal; detail: IdleReason
  kBlindNs,          // label: BlindReason; detail: Source
  kTriggers,         // label: TriggerKind; detail: 0 a dump began, 1 joined one, 2 too soon after one, 3 it failed
};
enum class TokenKind : uint8_t { kPrompt, kCached, kGenerated };
enum class IterationKind : uint8_t { kGraph, kPiecewise, kEager, kMixed, kDummy };
enum class IdleReason : uint8_t { kHost, kDependency, kCopy, kNoWork };

struct CounterSnapshot {
  uint64_t value = 0;
  uint32_t label = 0;
  uint32_t detail = 0;
  Counter counter = Counter::kRequests;
  ProcessIndex process = 0;
};

}  // namespace slowtoken::record
