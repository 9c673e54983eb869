// Continuous batching with chunked prefill, a token budget and preemption by recompute: decides who is in the next
// iteration. Used by the engine's thread only; costs a few microseconds an iteration. Pure book-keeping: no clock, no
// NVTX, no GPU; what happens is told to the observer at the moment it happens.
#pragma once

#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/config.h"
#include "core/kv_manager.h"
#include "core/request.h"

namespace slowtoken::demo {

// One request's part of an iteration. kind: p prefill (whole or last chunk), c chunk that is not the last, d decode,
// v verify (decode with draft tokens), r recompute after preemption.
struct Row {
  Request* request = nullptr;
  int64_t n_tok = 0;
  char kind = 'd';
  bool yields = false;  // the iteration computes at least one new token of it
};

// What a scenario takes away from the scheduler for a while.
struct SchedulerLimits {
  int64_t max_seqs = std::numeric_limits<int64_t>::max();  // where lower than the configuration's
  bool queue_gets_no_tokens = false;                       // the running requests use up the token budget
};

class SchedulerObserver {
 public:
  virtual ~SchedulerObserver() = default;
  virtual void OnScheduled(Request& request) = 0;  // first time in an iteration
  virtual void OnResumed(Request& request) = 0;
  virtual void OnPreempted(Request& request) = 0;
  virtual void OnWaiting(Request& request) = 0;  // request.waiting says why
  // Around work on the KV cache: blocks are about to be taken or given back, and have been.
  virtual void OnKvAlloc(const Request& request, int64_t blocks) = 0;
  virtual void OnKvEvict(const Request& request, int64_t blocks) = 0;
  virtual void OnKvDone() = 0;
};

class Scheduler {
 public:
  Scheduler(const Config& config, SchedulerObserver& observer);

  // Whether the request could ever run; if not, Add must not be called.
  bool Fits(int64_t n_prompt, int64_t max_new) const;

  // Puts a request at the end of the queue. Its id must be new.
  Request& Add(std::string id, int64_t n_prompt, int64_t max_new);

  // The rows of the next iteration; empty only if there is nothing to do. Valid until a request is removed.
  std::vector<Row> Schedule();

  // Books the rows' work as done. `n_new[i]`: tokens row i yielded, 0 where it does not yield.
  void Commit(const std::vector<Row>& rows, const std::vector<int64_t>& n_new);

  // Forgets a request and frees its blocks. No effect if it is unknown.
  void Remove(const std::string& id);

  Request* Find(const std::string& id);
  // Nothing can run: there is no request, or none that is not held back.
  bool idle() const;
  const std::vector<Request*>& running() const { return running_; }
  const std::deque<Request*>& queue() const { return queue_; }
  SchedulerLimits& limits() { return limits_; }
  int64_t waiting() const { return static_cast<int64_t>(queue_.size()); }
  const KvManager& kv() const { return kv_; }
  KvManager& kv() { return kv_; }
  std::vector<std::string> Ids() const;

 private:
  void ScheduleRunning(std::vector<Row>& rows);
  void ScheduleQueue(std::vector<Row>& rows);
  int64_t Wanted(const Request& request) const;
  int64_t Share(const Request& request) const;
  bool Grow(Request& request, int64_t tokens);
  bool MakeRoom(Request& request, int64_t tokens, std::vector<Row>& rows);
  void Preempt(Request& victim, std::vector<Row>& rows);
  void AddRow(Request& request, int64_t n_tok, std::vector<Row>& rows);
  void Admit(Request& request);
  std::optional<WaitReason> Obstacle(const Request& request, int64_t n_tok) const;
  void TellWaiting(WaitReason reason);
  void TellWaiting(Request& request, WaitReason reason);

  const Config& config_;
  SchedulerObserver& observer_;
  KvManager kv_;
  SchedulerLimits limits_;
  int64_t budget_ = 0;  // tokens left in this iteration
  std::unordered_map<std::string, std::unique_ptr<Request>> requests_;
  std::vector<Request*> running_;  // oldest first; the youngest is preempted first
  std::deque<Request*> queue_;
};

// The smallest bucket that holds `sequences`, or 0 if none does.
int64_t GraphBucket(const std::vector<int64_t>& buckets, int64_t sequences);

// Whether a graph can run these rows: all decode, or all verify the same number of tokens.
bool IsUniformDecode(const std::vector<Row>& rows);

}  // namespace slowtoken::demo
