// What `--scenario` can inject: the causes of docs/ATTRIBUTION.md §5 and the ways to bring each about. Plain data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/clock.h"

namespace slowtoken::demo {

// X(enumerator, cause, whom it concerns, its variants). A variant is one way to bring the cause about.
// clang-format off
#define SLOWTOKEN_SCENARIOS(X)                                                                                    \
  X(kPrefillInterference, "prefill_interference", kDecoding, "")                                                  \
  X(kSchedulerDelay, "scheduler_delay", kDecoding, "")                                                            \
  X(kKvCacheSync, "kv_cache_sync", kDecoding, "swap malloc")                                                      \
  X(kCollectiveWait, "collective_wait", kDecoding, "")                                                            \
  X(kGraphMiss, "graph_miss", kDecoding, "capture jit")                                                           \
  X(kSampling, "sampling", kDecoding, "cpu gpu")                                                                  \
  X(kPreempted, "preempted", kDecoding, "")                                                                       \
  X(kTransportBackpressure, "transport_backpressure", kDecoding, "lock client")                                   \
  X(kHostPaused, "host_paused", kDecoding, "lock gc starved throttled")                                           \
  X(kGpuSlow, "gpu_slow", kDecoding, "")                                                                          \
  X(kQueueMaxSeqs, "queue_max_seqs", kFirstToken, "")                                                             \
  X(kQueueBudget, "queue_budget", kFirstToken, "")                                                                \
  X(kQueueKvSpace, "queue_kv_space", kFirstToken, "")                                                             \
  X(kQueueAdapter, "queue_adapter", kFirstToken, "")                                                              \
  X(kQueueRemoteKv, "queue_remote_kv", kFirstToken, "")                                                           \
  X(kQueueGrammar, "queue_grammar", kFirstToken, "")                                                              \
  X(kQueueOther, "queue_other", kFirstToken, "")                                                                  \
  X(kTokenizer, "tokenizer", kFirstToken, "")                                                                     \
  X(kLongPrompt, "long_prompt", kFirstToken, "")                                                                  \
  X(kChunkInterleaving, "chunk_interleaving", kFirstToken, "")                                                    \
  X(kColdStart, "cold_start", kFirstToken, "load capture")                                                        \
  X(kBacklog, "backlog", kFirstToken, "")
// clang-format on

// kDecoding: requests that decode get a longer gap; kFirstToken: requests wait longer for their first token.
enum class Concerns : uint8_t { kDecoding, kFirstToken };

#define SLOWTOKEN_SCENARIO_ENUM(id, cause, concerns, variants) id,
enum class Scenario : uint8_t { SLOWTOKEN_SCENARIOS(SLOWTOKEN_SCENARIO_ENUM) };
#undef SLOWTOKEN_SCENARIO_ENUM

struct ScenarioKind {
  const char* cause;
  Concerns concerns;
  const char* variants;  // separated by spaces
};

#define SLOWTOKEN_SCENARIO_KIND(id, cause, concerns, variants) ScenarioKind{cause, Concerns::concerns, variants},
inline constexpr std::array kScenarios = {SLOWTOKEN_SCENARIOS(SLOWTOKEN_SCENARIO_KIND)};
#undef SLOWTOKEN_SCENARIO_KIND

// The variants that are named by number in Injection::variant, in the order above.
namespace variant {
enum KvCacheSync : int64_t { kSwap, kMalloc };
enum GraphMiss : int64_t { kCapture, kJit };
enum Sampling : int64_t { kCpu, kGpu };
enum Transport : int64_t { kSendLock, kSlowClient };
enum HostPaused : int64_t { kLock, kGc, kStarved, kThrottled };
enum ColdStart : int64_t { kLoad, kColdCapture };
}  // namespace variant

constexpr TimeNs kWhenDecoding = -1;  // Injection::start: as soon as there is somebody to hit

// One injection to come.
struct Injection {
  Scenario scenario = Scenario::kSchedulerDelay;
  int64_t variant = 0;
  int64_t serial = 0;            // from 1, in the order of the command line; names the requests it sends
  TimeNs start = kWhenDecoding;  // since the first request
  TimeNs length = 0;
  TimeNs pause = 0;  // how long nothing is injected before it, where `start` is left out

  const ScenarioKind& kind() const { return kScenarios[static_cast<size_t>(scenario)]; }
};

// The n-th of a kind's variants; empty where it has none.
constexpr std::string_view VariantName(const ScenarioKind& kind, int64_t n) {
  std::string_view rest = kind.variants;
  for (; n > 0; --n) rest.remove_prefix(rest.find(' ') + 1);
  return rest.substr(0, rest.find(' '));
}

constexpr int64_t VariantCount(const ScenarioKind& kind) {
  int64_t count = *kind.variants != '\0';
  for (const char* c = kind.variants; *c != '\0'; ++c) count += *c == ' ';
  return count;
}

}  // namespace slowtoken::demo
