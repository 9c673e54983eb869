// Why a gap is a stall or a first token is slow (docs/ATTRIBUTION.md §5): the causes, and the evidence behind one.
// Judged by attribution/, carried by summaries. Names are frozen (report JSON, metrics). Plain data.
#pragma once

#include <array>

#include "record/ids.h"

namespace slowtoken::record {

// X(enumerator, text). Up to `profiler` of stalls and first tokens, behind that of first tokens alone.
// clang-format off
#define SLOWTOKEN_CAUSES(X)                                                                                         \
  X(kUnknown, "unknown") X(kPrefillInterference, "prefill_interference") X(kSchedulerDelay, "scheduler_delay")      \
  X(kKvCacheSync, "kv_cache_sync") X(kCollectiveWait, "collective_wait") X(kGraphMiss, "graph_miss")                \
  X(kSampling, "sampling") X(kPreempted, "preempted") X(kTransportBackpressure, "transport_backpressure")           \
  X(kHostPaused, "host_paused") X(kGpuSlow, "gpu_slow") X(kProfiler, "profiler")                                    \
  X(kQueueOther, "queue_other") X(kQueueKvSpace, "queue_kv_space") X(kQueueMaxSeqs, "queue_max_seqs")               \
  X(kQueueBudget, "queue_budget") X(kQueueRemoteKv, "queue_remote_kv") X(kQueueAdapter, "queue_adapter")            \
  X(kQueueGrammar, "queue_grammar") X(kTokenizer, "tokenizer") X(kLongPrompt, "long_prompt")                        \
  X(kChunkInterleaving, "chunk_interleaving") X(kColdStart, "cold_start") X(kBacklog, "backlog")
// clang-format on

// X(enumerator, text): what speaks for the cause. Which of a finding's other members it fills in stands behind it.
// clang-format off
#define SLOWTOKEN_EVIDENCE_KINDS(X)                                                                                 \
  X(kNone, "none")                       /* of an unknown cause */                                                  \
  X(kBlind, "blind")                     /* nothing was seen for a part of the time */                              \
  X(kOwnFlush, "own_flush")              /* thread: our worker, or CUPTI on its thread; amount: how often */        \
  X(kOtherPrefill, "other_prefill")      /* iter, req: whose prompt; amount: its tokens */                          \
  X(kThreadRan, "thread_ran")            /* thread: it was on a CPU */                                              \
  X(kThreadWaited, "thread_waited")      /* thread; amount: ns it was runnable and had no CPU */                     \
  X(kThreadBlocked, "thread_blocked")    /* thread; amount: ns it slept: a lock, a call, a page fault */             \
  X(kThrottled, "throttled")             /* amount: ns for which the cgroup was throttled */                        \
  X(kPageFaults, "page_faults")          /* amount: major faults */                                                 \
  X(kGc, "gc") X(kJit, "jit")            /* thread */                                                               \
  X(kKvWork, "kv_work")                  /* thread */                                                               \
  X(kMemoryCall, "memory_call")          /* thread: allocations or frees that hold it up; amount: how many */       \
  X(kEagerLaunch, "eager_launch")        /* iter; amount: kernel launches where others replay a graph */            \
  X(kGraphBuild, "graph_build")          /* thread: capture, instantiation, update; amount: calls */                \
  X(kModuleLoad, "module_load")          /* thread; amount: calls */                                                \
  X(kPreemption, "preemption")           /* amount: tokens computed again */                                        \
  X(kSampleWork, "sample_work")          /* iter */                                                                 \
  X(kCommittedEarly, "committed_early")  /* amount: ns from commit to sent */                                       \
  X(kCollective, "collective")           /* iter */                                                                 \
  X(kSlowKernels, "slow_kernels")        /* iter; amount: the usual ns of such an iteration */                      \
  X(kClocks, "clocks")                   /* iter; amount: why, bits of kThrottleReasons */                           \
  X(kWaitMarks, "wait_marks")            /* what the engine said it waits for */                                    \
  X(kBusyTokenizer, "busy_tokenizer")    /* thread; req: whose text it worked on */                                 \
  X(kOwnPrompt, "own_prompt")            /* amount: tokens */                                                       \
  X(kOthersBetween, "others_between")    /* iter: another's between two own; amount: how many */                    \
  X(kModelLoad, "model_load")            /* thread: model.load or adapter.load */                                   \
  X(kOtherGpuWork, "other_gpu_work")     /* iter: whose GPU work ran before the own */
// clang-format on

#define SLOWTOKEN_ENUM(id, text) id,
#define SLOWTOKEN_TEXT(id, text) text,
enum class Cause : uint8_t { SLOWTOKEN_CAUSES(SLOWTOKEN_ENUM) };
inline constexpr const char* kCauseNames[] = {SLOWTOKEN_CAUSES(SLOWTOKEN_TEXT)};
inline constexpr size_t kCauseCount = sizeof(kCauseNames) / sizeof(kCauseNames[0]);

inline constexpr size_t kStallCauseCount = static_cast<size_t>(Cause::kProfiler) + 1;  // those a stall may have

enum class EvidenceKind : uint8_t { SLOWTOKEN_EVIDENCE_KINDS(SLOWTOKEN_ENUM) };
inline constexpr const char* kEvidenceNames[] = {SLOWTOKEN_EVIDENCE_KINDS(SLOWTOKEN_TEXT)};
inline constexpr size_t kEvidenceCount = sizeof(kEvidenceNames) / sizeof(kEvidenceNames[0]);
#undef SLOWTOKEN_ENUM
#undef SLOWTOKEN_TEXT

// How far the evidence carries. kHigh: it was seen directly and covers the excess; kLow: it covers half of it, or the
// cause is what is left when the others are ruled out.
enum class Confidence : uint8_t { kNone, kLow, kHigh };
inline constexpr const char* kConfidenceNames[] = {"none", "low", "high"};

// A cause and the evidence it rests on. Members that the kind of evidence does not fill in are 0.
struct CauseFinding {
  Cause cause = Cause::kUnknown;
  EvidenceKind evidence = EvidenceKind::kNone;
  Confidence confidence = Confidence::kNone;
  ThreadId thread = 0;
  RequestId req = 0;
  uint64_t iter = 0;
  uint64_t amount = 0;
  uint64_t evidence_ns = 0;        // how much of the phase of largest excess it covers
  uint64_t evidence_start_ns = 0;  // its hull, counted from the start of the gap (from the arrival)
  uint64_t evidence_end_ns = 0;
  // Whatever the cause: the thread whose turn it was in the phase of largest excess, and how it spent that phase. All
  // 0: nobody's turn, or its states are not known.
  uint64_t acting_ran_ns = 0;
  uint64_t acting_waited_ns = 0;  // runnable without a CPU
  uint64_t acting_blocked_ns = 0;
  ThreadId acting_thread = 0;
  uint32_t acting_migrations = 0;  // from one CPU to another; told only where every switch is known
  bool operator==(const CauseFinding&) const = default;
};

// The members of a finding for whoever stores, shows or compares one: X(number, column, member, coding) as the tables
// of trace/columns.h have it. `first`: the number of the first column; `of`: where the member is found, such as
// `finding.`.
// clang-format off
// NOLINTBEGIN(bugprone-macro-parentheses): members are named here, nothing is computed
#define SLOWTOKEN_FINDING_MEMBERS(X, first, of)                                                                     \
  X(first + 0, cause, of cause, kNumber) X(first + 1, confidence, of confidence, kNumber)                           \
  X(first + 2, evidence, of evidence, kNumber) X(first + 3, evidence_ns, of evidence_ns, kNumber)                   \
  X(first + 4, evidence_start_ns, of evidence_start_ns, kNumber)                                                    \
  X(first + 5, evidence_end_ns, of evidence_end_ns, kNumber) X(first + 6, evidence_thread, of thread, kNumber)      \
  X(first + 7, evidence_req, of req, kRequest) X(first + 8, evidence_iter, of iter, kNumber)                        \
  X(first + 9, evidence_amount, of amount, kNumber) X(first + 10, acting_thread, of acting_thread, kNumber)         \
  X(first + 11, acting_ran_ns, of acting_ran_ns, kNumber)                                                           \
  X(first + 12, acting_waited_ns, of acting_waited_ns, kNumber)                                                     \
  X(first + 13, acting_blocked_ns, of acting_blocked_ns, kNumber)                                                   \
  X(first + 14, acting_migrations, of acting_migrations, kNumber)
// NOLINTEND(bugprone-macro-parentheses)
// clang-format on
static_assert(sizeof(CauseFinding) == 88, "a member changed");

}  // namespace slowtoken::record
