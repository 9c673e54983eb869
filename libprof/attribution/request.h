// Request: all that is known of one request until its summary is made, and the small records hanging on it. Kept in
// RequestTable; plain data. Everything can arrive in any order.
#pragma once

#include "attribution/iteration.h"
#include "record/annotation.h"
#include "record/summaries.h"

namespace slowtoken::attribution {

// Something that happened to a request apart from tokens and sends.
enum class RequestEventKind : uint8_t {
  kTokenize,
  kKvRecv,
  kQueued,
  kScheduled,
  kPreempted,
  kResumed,
  kWaiting,
  kFinish
};

struct RequestEvent {
  TimeNs start = 0;
  TimeNs end = 0;  // marks: equal to start
  PoolIndex next = 0;
  RequestEventKind kind = RequestEventKind::kQueued;
  record::WaitReason reason = record::WaitReason::kOther;  // kWaiting only
};

// A `req.token` (start == end) or a `req.send`.
struct TokenRecord {
  TimeNs start = 0;
  TimeNs end = 0;
  uint64_t iter = 0;
  uint32_t n = 0;      // index of the last token carried; until `numbered`, 0 = not given
  uint32_t n_new = 0;  // how many
  PoolIndex next = 0, prev = 0;
  bool has_iter = false;
  bool has_n_new = false;
  bool numbered = false;  // n and n_new are worked out
};

// More tokens than any request has, and than any one commit or send carries: what says so is not believed.
inline constexpr uint64_t kMostTokens = 1u << 24;
inline constexpr uint64_t kMostNewTokens = 1u << 17;

struct TokenList {
  PoolIndex head = 0, tail = 0;
  PoolIndex done = 0;  // the last one made into an emission; 0 = none of those still here
};

// An iteration the request took part in.
struct OwnIteration {
  IterationRef ref;
  uint64_t iter = 0;
  TimeNs start = 0;  // of the iteration: the order of own iterations
  PoolIndex next = 0;
  record::RowKind kind = record::RowKind::kDecode;
};

// The two ways to say when a token was there: by its commit or by its send. Both are followed until the request ends,
// for only then it is known whether every token was sent.
enum class Basis : uint8_t { kCommit, kSend };
inline constexpr size_t kBasisCount = 2;

// The part of a TTFT that does not depend on the arrival (which may be known only at the end): from `split` on.
struct TtftTail {
  TimeNs split = 0;      // start of the earliest own work
  TimeNs end = 0;        // F; 0 = no first emission yet
  TimeNs queue_end = 0;  // where `queue` ends; 0 = cannot be told
  record::TtftPhases phases{};
  std::array<uint64_t, 7> queue_by{};
  uint64_t prefill_gpu_ns = 0, prefill_collective_ns = 0, prefill_idle_ns = 0;
  // What spoke for a cause when the iterations were still at hand, should the first token turn out slow; evidence times
  // are instants. `finding` is about `judged`, the phase of largest excess by then; `handoff` about that phase.
  record::TtftPhase judged = record::TtftPhase::kUnattributed;
  record::CauseFinding finding, handoff;
};

// Bytes in chained blocks: the gaps made so far, packed (packed_gap.h).
struct ByteChain {
  PoolIndex head = 0, tail = 0;
  uint32_t tail_used = 0;
};

// How far one basis has come.
struct EmissionState {
  uint64_t emissions = 0;
  uint64_t tokens = 0;
  uint64_t n = 0;          // of the last emission
  TimeNs instant = 0;      // E of the last emission
  TimeNs commit = 0;       // C of the last emission
  TimeNs gpu_end = 0;      // end of GPU work of its yielding iteration
  TimeNs yield_start = 0;  // own iterations up to this start are behind
  TimeNs first_instant = 0;
  uint64_t first_n = 0;
  TtftTail ttft;
  ByteChain gaps;
};

struct Request {
  record::RequestId id = 0;
  record::ProcessIndex process = 0;
  bool has_process = false;     // `process` is that of `req`
  bool saw_req = false;         // `req` began in what was read
  bool done = false;            // its summary is out; kept a while so that stragglers do not revive it
  bool lost_something = false;  // a record of it found no room
  bool partial = false;         // its first emission was made before everything had arrived
  TimeNs arrival = 0;
  TimeNs end = 0;          // of `req`; 0 = not ended
  TimeNs finish_time = 0;  // of req.finish
  TimeNs first_activity = 0, last_activity = 0;
  record::FinishReason finish = record::FinishReason::kUnfinished;
  uint64_t prompt = 0, cached = 0;
  uint64_t gpu_share_ns = 0;
  uint32_t preemptions = 0;
  uint32_t iterations = 0;
  bool saw_gpu = false;

  PoolIndex events = 0;  // RequestEvent, by start
  TokenList tokens, sends;
  PoolIndex own_head = 0, own_tail = 0;  // OwnIteration, by start
  bool sends_dead = false;               // sends are not followed: none was ever seen
  bool basis_fixed = false;              // gaps went out early on `basis`
  Basis basis = Basis::kSend;
  std::array<EmissionState, kBasisCount> states;

  PoolIndex next = 0, prev = 0;  // in the table's list, least recently heard of first

  EmissionState& state(Basis b) { return states[static_cast<size_t>(b)]; }
  TokenList& list(Basis b) { return b == Basis::kCommit ? tokens : sends; }
};

}  // namespace slowtoken::attribution
