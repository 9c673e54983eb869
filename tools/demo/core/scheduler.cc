#include "core/scheduler.h"

#include <algorithm>
#include <utility>

namespace slowtoken::demo {
namespace {

// So that a long queue cannot flood the trace at each change of the reason; but each request is told one.
constexpr size_t kWaitingTold = 64;

}  // namespace

Scheduler::Scheduler(const Config& config, SchedulerObserver& observer)
    : config_(config), observer_(observer), kv_(config.kv_blocks, config.block_tokens) {}

bool Scheduler::Fits(int64_t n_prompt, int64_t max_new) const {
  return n_prompt + max_new + config_.speculative_tokens <= kv_.capacity_tokens();
}

Request& Scheduler::Add(std::string id, int64_t n_prompt, int64_t max_new) {
  auto request = std::make_unique<Request>();
  request->id = id;
  request->n_prompt = n_prompt;
  request->max_new = max_new;
  Request& added = *request;
  requests_[std::move(id)] = std::move(request);
  queue_.push_back(&added);
  return added;
}

Request* Scheduler::Find(const std::string& id) {
  const auto found = requests_.find(id);
  return found == requests_.end() ? nullptr : found->second.get();
}

std::vector<std::string> Scheduler::Ids() const {
  std::vector<std::string> ids;
  for (const auto& [id, request] : requests_) ids.push_back(id);
  return ids;
}

void Scheduler::Remove(const std::string& id) {
  Request* const request = Find(id);
  if (!request) return;
  std::erase(running_, request);
  std::erase(queue_, request);
  kv_.Release(request->blocks);
  requests_.erase(id);
}

std::vector<Row> Scheduler::Schedule() {
  std::vector<Row> rows;
  budget_ = config_.max_batch_tokens;
  const size_t queued = queue_.size();
  ScheduleRunning(rows);
  const bool preempted = queue_.size() > queued;
  if (preempted)
    TellWaiting(WaitReason::kKvSpace);
  else
    ScheduleQueue(rows);
  return rows;
}

// Tokens the request would compute now if the budget allowed.
int64_t Scheduler::Wanted(const Request& request) const {
  return request.decoding() ? 1 + config_.speculative_tokens : request.missing();
}

// Of what it wants, as much as it may have.
int64_t Scheduler::Share(const Request& request) const {
  const int64_t wanted = Wanted(request);
  if (request.whole) return wanted;
  return std::min({wanted, budget_, request.chunk_tokens > 0 ? request.chunk_tokens : wanted});
}

void Scheduler::ScheduleRunning(std::vector<Row>& rows) {
  std::vector<Request*> order = running_;
  std::stable_partition(order.begin(), order.end(), [](const Request* r) { return r->decoding(); });
  for (Request* request : order) {
    if (!request->running) continue;  // preempted for one before it
    if (request->skip > 0 && !rows.empty()) {
      --request->skip;
      continue;
    }
    const int64_t n_tok = Share(*request);
    if (n_tok == 0 || (request->decoding() && n_tok < Wanted(*request))) continue;
    if (MakeRoom(*request, request->computed + n_tok, rows)) AddRow(*request, n_tok, rows);
  }
}

// Why the request cannot join this iteration with `n_tok` tokens.
std::optional<WaitReason> Scheduler::Obstacle(const Request& request, int64_t n_tok) const {
  // One block stays free for each running request, so that admission does not preempt at once.
  const int64_t reserve = static_cast<int64_t>(running_.size());
  if (reserve >= std::min(config_.max_seqs, limits_.max_seqs)) return WaitReason::kMaxSeqs;
  if (n_tok == 0 || limits_.queue_gets_no_tokens) return WaitReason::kBudget;
  if (kv_.Missing(request.blocks, request.computed + n_tok) + reserve > kv_.free()) return WaitReason::kKvSpace;
  return std::nullopt;
}

void Scheduler::ScheduleQueue(std::vector<Row>& rows) {
  for (size_t next = 0; next < queue_.size();) {
    Request& request = *queue_[next];
    if (request.held != WaitReason::kNone) {
      TellWaiting(request, request.held);
      ++next;
      continue;
    }
    const int64_t n_tok = Share(request);
    if (const std::optional<WaitReason> obstacle = Obstacle(request, n_tok)) return TellWaiting(*obstacle);
    queue_.erase(queue_.begin() + static_cast<ptrdiff_t>(next));
    Admit(request);
    Grow(request, request.computed + n_tok);
    AddRow(request, n_tok, rows);
  }
}

void Scheduler::Admit(Request& request) {
  request.running = true;
  request.waiting = WaitReason::kNone;
  running_.push_back(&request);
  if (request.recomputing)
    observer_.OnResumed(request);
  else
    observer_.OnScheduled(request);
}

bool Scheduler::Grow(Request& request, int64_t tokens) {
  const int64_t missing = kv_.Missing(request.blocks, tokens);
  if (missing == 0) return true;
  if (missing > kv_.free()) return false;
  observer_.OnKvAlloc(request, missing);
  kv_.Grow(request.blocks, tokens);
  observer_.OnKvDone();
  return true;
}

// Grows the request, preempting the youngest running ones as needed; false if it was itself the youngest.
bool Scheduler::MakeRoom(Request& request, int64_t tokens, std::vector<Row>& rows) {
  while (!Grow(request, tokens)) {
    Request& victim = *running_.back();
    Preempt(victim, rows);
    if (&victim == &request) return false;
  }
  return true;
}

void Scheduler::Preempt(Request& victim, std::vector<Row>& rows) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.request == &victim; });
  if (row != rows.end()) {
    budget_ += row->n_tok;
    rows.erase(row);
  }
  std::erase(running_, &victim);
  observer_.OnKvEvict(victim, static_cast<int64_t>(victim.blocks.size()));
  kv_.Release(victim.blocks);
  observer_.OnKvDone();
  victim.running = false;
  victim.recomputing = true;
  victim.computed = 0;
  queue_.push_front(&victim);
  observer_.OnPreempted(victim);
}

void Scheduler::AddRow(Request& request, int64_t n_tok, std::vector<Row>& rows) {
  Row row{&request, n_tok, 'd', false};
  if (request.recomputing)
    row.kind = 'r';
  else if (request.decoding())
    row.kind = config_.speculative_tokens > 0 ? 'v' : 'd';
  else
    row.kind = n_tok == request.missing() ? 'p' : 'c';
  row.yields = n_tok >= request.missing();
  budget_ = std::max<int64_t>(0, budget_ - n_tok);
  if (!row.yields) request.skip = request.chunk_pause;
  rows.push_back(row);
}

void Scheduler::Commit(const std::vector<Row>& rows, const std::vector<int64_t>& n_new) {
  for (size_t i = 0; i < rows.size(); ++i) {
    Request& request = *rows[i].request;
    if (!rows[i].yields) {
      request.computed += rows[i].n_tok;
      continue;
    }
    // What was there is computed, and of the new tokens all but the last, which the next iteration computes.
    request.computed = request.tokens() + n_new[i] - 1;
    request.generated += n_new[i];
    request.recomputing = false;
  }
}

void Scheduler::TellWaiting(WaitReason reason) {
  for (size_t i = 0; i < queue_.size(); ++i) {
    if (i >= kWaitingTold && queue_[i]->waiting != WaitReason::kNone) continue;
    TellWaiting(*queue_[i], queue_[i]->held == WaitReason::kNone ? reason : queue_[i]->held);
  }
}

void Scheduler::TellWaiting(Request& request, WaitReason reason) {
  if (request.waiting == reason) return;
  request.waiting = reason;
  observer_.OnWaiting(request);
}

bool Scheduler::idle() const {
  return running_.empty() &&
         std::all_of(queue_.begin(), queue_.end(), [](const Request* r) { return r->held != WaitReason::kNone; });
}

int64_t GraphBucket(const std::vector<int64_t>& buckets, int64_t sequences) {
  const auto bucket = std::lower_bound(buckets.begin(), buckets.end(), sequences);
  return bucket == buckets.end() ? 0 : *bucket;
}

bool IsUniformDecode(const std::vector<Row>& rows) {
  return std::all_of(rows.begin(), rows.end(), [&](const Row& row) {
    return (row.kind == 'd' || row.kind == 'v') && row.n_tok == rows.front().n_tok;
  });
}

}  // namespace slowtoken::demo
