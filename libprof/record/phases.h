// The named phases of TTFT and of a gap (docs/ATTRIBUTION.md §3 and §4), in order of precedence: at each instant the
// first active one wins. Names are frozen (report JSON, metrics).
#pragma once

#include <array>
#include <cstdint>

namespace slowtoken::record {

// clang-format off
#define SLOWTOKEN_TTFT_PHASES(X)                                                                           \
  X(kPreempted, "preempted") X(kTransport, "transport") X(kCommitWait, "commit_wait") X(kSample, "sample") \
  X(kPrefill, "prefill") X(kPrefillWait, "prefill_wait") X(kBacklog, "backlog") X(kSubmit, "submit")       \
  X(kSchedule, "schedule") X(kKvWait, "kv_wait") X(kTokenize, "tokenize") X(kHandoff, "handoff")           \
  X(kQueue, "queue") X(kUnattributed, "unattributed")
// clang-format on

enum class TtftPhase : uint8_t {
#define SLOWTOKEN_ENUM(id, text) id,
  SLOWTOKEN_TTFT_PHASES(SLOWTOKEN_ENUM)
};
inline constexpr const char* kTtftPhaseNames[] = {
#define SLOWTOKEN_TEXT(id, text) text,
    SLOWTOKEN_TTFT_PHASES(SLOWTOKEN_TEXT)};
inline constexpr size_t kTtftPhaseCount = sizeof(kTtftPhaseNames) / sizeof(kTtftPhaseNames[0]);

// clang-format off
#define SLOWTOKEN_GAP_PHASES(X)                                                                            \
  X(kPreempted, "preempted") X(kTransport, "transport") X(kCommitWait, "commit_wait") X(kSample, "sample") \
  X(kCollective, "collective") X(kGpuBusy, "gpu_busy") X(kKv, "kv") X(kJit, "jit") X(kGc, "gc")            \
  X(kGpuIdle, "gpu_idle") X(kPrefillInterference, "prefill_interference") X(kBacklog, "backlog")           \
  X(kSubmit, "submit") X(kSchedule, "schedule") X(kUnattributed, "unattributed")
// clang-format on

enum class GapPhase : uint8_t { SLOWTOKEN_GAP_PHASES(SLOWTOKEN_ENUM) };
inline constexpr const char* kGapPhaseNames[] = {SLOWTOKEN_GAP_PHASES(SLOWTOKEN_TEXT)};
inline constexpr size_t kGapPhaseCount = sizeof(kGapPhaseNames) / sizeof(kGapPhaseNames[0]);

#undef SLOWTOKEN_ENUM
#undef SLOWTOKEN_TEXT

// The order in which they usually happen, for whoever shows them: that of precedence turned around, what is left last.
template <size_t N>
constexpr std::array<size_t, N> TurnedAround() {
  std::array<size_t, N> order{};
  for (size_t i = 0; i + 1 < N; ++i) order[i] = N - 2 - i;
  order[N - 1] = N - 1;
  return order;
}
inline constexpr auto kGapTimeOrder = TurnedAround<kGapPhaseCount>();
// One is handed over and tokenized before it is queued.
inline constexpr auto kTtftTimeOrder = [] {
  auto order = TurnedAround<kTtftPhaseCount>();
  order[0] = static_cast<size_t>(TtftPhase::kHandoff);
  order[1] = static_cast<size_t>(TtftPhase::kTokenize);
  order[2] = static_cast<size_t>(TtftPhase::kQueue);
  return order;
}();

// Nanoseconds by phase. The values of one sample add up exactly to its duration.
using TtftPhases = std::array<uint64_t, kTtftPhaseCount>;
using GapPhases = std::array<uint64_t, kGapPhaseCount>;

}  // namespace slowtoken::record
