// One request as the scheduler sees it, from the queue to its last token. Owned by the Scheduler; its thread only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/clock.h"

namespace slowtoken::demo {

// Why a request is still in the queue; kNone: it is not, or nobody has looked yet. The last four: something of its own
// is not ready, and others may pass it.
enum class WaitReason : uint8_t { kNone, kKvSpace, kMaxSeqs, kBudget, kAdapter, kRemoteKv, kGrammar, kOther };

enum class FinishReason : uint8_t { kNone, kStop, kLength, kAbort, kError, kRejected };

inline const char* FinishText(FinishReason reason) {
  static constexpr const char* kTexts[] = {"unfinished", "stop", "length", "abort", "error", "rejected"};
  return kTexts[static_cast<size_t>(reason)];
}

struct Request {
  std::string id;
  int64_t n_prompt = 0;
  int64_t max_new = 0;

  int64_t generated = 0;     // tokens of the answer so far
  int64_t computed = 0;      // tokens whose keys and values are in the cache
  bool recomputing = false;  // preempted, and not yet back where it was
  bool running = false;
  WaitReason waiting = WaitReason::kNone;
  // Set by a scenario (scenario/): what it waits for while it is in the queue; that the token budget does not cut its
  // prompt; most tokens of a chunk (0: the budget); iterations of others that lie between two of its chunks.
  WaitReason held = WaitReason::kNone;
  bool whole = false;
  int64_t chunk_tokens = 0, chunk_pause = 0;
  int64_t skip = 0;             // iterations until its next chunk
  std::vector<int32_t> blocks;  // of the KV cache

  // For the truth file.
  TimeNs queued = 0;
  TimeNs scheduled = 0;
  std::vector<int64_t> iterations;
  std::vector<Interval> preempted;  // the last one is open (end 0) until it resumes

  int64_t tokens() const { return n_prompt + generated; }
  int64_t missing() const { return tokens() - computed; }  // 1 when it decodes
  bool decoding() const { return generated > 0 && missing() == 1 && !recomputing; }
};

}  // namespace slowtoken::demo
