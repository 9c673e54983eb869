#include "server/engine.h"

#include <pthread.h>
#include <slowtoken/llmserve.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/sampler.h"
#include "server/jitter_probe.h"

namespace slowtoken::demo {
namespace {

namespace ls = slowtoken::llmserve;

llmserve_iter Key(int64_t iter) {
  llmserve_iter key;
  key.iter = iter;
  return key;
}

llmserve_finish Reason(FinishReason reason) {
  switch (reason) {
    case FinishReason::kStop:
      return LLMSERVE_FINISH_STOP;
    case FinishReason::kLength:
      return LLMSERVE_FINISH_LENGTH;
    case FinishReason::kAbort:
      return LLMSERVE_FINISH_ABORT;
    default:
      return LLMSERVE_FINISH_ERROR;
  }
}

llmserve_op Operation(BatchOp op) {
  constexpr llmserve_op kOperations[] = {LLMSERVE_SET, LLMSERVE_JOIN, LLMSERVE_LEAVE, LLMSERVE_CHANGE};
  return kOperations[static_cast<size_t>(op)];
}

}  // namespace

Engine::Engine(const Config& config, Channel& frontend, WorkerPort& worker, TruthFile& truth,
               const std::vector<Injection>& injections)
    : config_(config),
      frontend_(frontend),
      worker_(worker),
      truth_(truth),
      scheduler_(config, *this),
      conductor_(injections,
                 {config, scheduler_, [this](FrontendOrder order) { frontend_.Send(Encode(order)); },
                  [this] { return iter_ + ++iterations_taken_; }},
                 truth) {}

Engine::~Engine() {
  frontend_.Close();
  if (receiver_.joinable()) receiver_.join();
}

absl::Status Engine::Run() {
  receiver_ = std::thread([this] { ReceiveLoop(); });
  JitterProbe::Watch("engine");
  while (TakeInbox()) {
    if (absl::Status status = Step(); !status.ok()) {
      EndAll(FinishReason::kError);
      return status;
    }
  }
  EndAll(FinishReason::kAbort);
  return absl::OkStatus();
}

void Engine::ReceiveLoop() {
  pthread_setname_np(pthread_self(), "engine-inbox");
  JitterProbe::Watch("engine-inbox");
  while (std::optional<std::string> message = frontend_.Receive()) {
    std::optional<Submit> submit = Decode<Submit>(*message);
    std::optional<Abort> abort = Decode<Abort>(*message);
    TimeNs queued = 0;
    if (submit) {
      queued = NowNs();
      llmserve_queued(submit->id.c_str());
    }
    {
      const std::lock_guard lock(inbox_mutex_);
      if (submit) inbox_.arrivals.push_back({std::move(*submit), queued});
      if (abort) inbox_.aborts.push_back(std::move(abort->id));
    }
    inbox_filled_.notify_one();
  }
  {
    const std::lock_guard lock(inbox_mutex_);
    inbox_.closed = true;
  }
  inbox_filled_.notify_one();
}

// Until something has come, or (while a scenario runs) for a moment.
void Engine::AwaitInbox(std::unique_lock<std::mutex>& lock) {
  constexpr auto kPollPeriod = std::chrono::milliseconds(2);
  const auto filled = [this] { return !scheduler_.idle() || !inbox_.empty(); };
  if (conductor_.active())
    inbox_filled_.wait_for(lock, kPollPeriod, filled);
  else
    inbox_filled_.wait(lock, filled);
}

// Books what has come; waits for something if there is nothing to do. False: the frontend is gone.
bool Engine::TakeInbox() {
  Inbox inbox;
  {
    std::unique_lock lock(inbox_mutex_);
    AwaitInbox(lock);
    inbox = std::exchange(inbox_, {});
    inbox_.closed = inbox.closed;
  }
  for (Inbox::Arrival& arrival : inbox.arrivals) {
    Submit& submit = arrival.submit;
    Request& request = scheduler_.Add(std::move(submit.id), submit.n_prompt, submit.max_new);
    request.queued = arrival.queued;
    conductor_.OnQueued(request);
  }
  Outputs ended;
  for (const std::string& id : inbox.aborts)
    if (Request* request = scheduler_.Find(id)) Finish(*request, FinishReason::kAbort, ended.outputs.emplace_back());
  if (!ended.outputs.empty()) frontend_.Send(Encode(ended));
  conductor_.Poll(NowNs());
  return !inbox.closed;
}

absl::Status Engine::Step() {
  if (scheduler_.idle()) return absl::OkStatus();  // what came was aborted at once
  iter_ += 1 + std::exchange(iterations_taken_, 0);
  const llmserve_iter key = Key(iter_);
  Interval schedule;
  std::vector<Row> rows;
  schedule.start = schedule_start_ = NowNs();
  {
    const ls::Scope part{ls::Part{LLMSERVE_SCHEDULE, &key}};
    conductor_.InSchedule();
    rows = scheduler_.Schedule();
  }
  schedule.end = NowNs();
  if (rows.empty()) return absl::OkStatus();  // the only running request was preempted
  TellBatch(rows);
  for (const Row& row : rows) row.request->iterations.push_back(iter_);
  Plan plan = MakePlan(rows);
  conductor_.OnPlan(rows, plan);
  PlanResult result = worker_.Run(plan);
  if (!result.error.empty()) return absl::InternalError(result.error);
  conductor_.OnResult(rows, result);
  WriteTruth(rows, schedule, result);
  Update(rows, result);
  return absl::OkStatus();
}

void Engine::TellBatch(const std::vector<Row>& rows) {
  if (!llmserve_enabled()) return;
  const std::vector<BatchChange> changes = batch_diff_.Next(rows, NowNs());
  if (changes.empty()) return;
  ls::Batch batch(Key(iter_), batch_seq_++);
  for (const BatchChange& change : changes)
    batch.Row(Operation(change.op), change.id.c_str(), static_cast<uint64_t>(change.n_tok),
              static_cast<llmserve_kind>(change.kind));
}

Plan Engine::MakePlan(const std::vector<Row>& rows) const {
  Plan plan;
  plan.iter = iter_;
  plan.kv_used = scheduler_.kv().used();
  plan.kv_total = scheduler_.kv().total();
  plan.waiting = scheduler_.waiting();
  const int64_t decodes =
      std::count_if(rows.begin(), rows.end(), [](const Row& r) { return r.kind == 'd' || r.kind == 'v'; });
  const int64_t count = static_cast<int64_t>(rows.size());
  plan.mixed = decodes > 0 && decodes < count;
  plan.bucket = IsUniformDecode(rows) ? GraphBucket(config_.graph_buckets, count) : 0;
  for (const Row& row : rows)
    plan.rows.push_back({row.request->id, row.n_tok, row.request->computed, row.request->generated, row.kind,
                         row.yields, row.request->blocks});
  return plan;
}

// Commits the tokens, ends what is at its end, and tells the frontend.
void Engine::Update(const std::vector<Row>& rows, PlanResult& result) {
  const llmserve_iter key = Key(iter_);
  const ls::Scope part{ls::Part{LLMSERVE_UPDATE, &key}};
  std::vector<int64_t> n_new;
  for (size_t i = 0; i < rows.size(); ++i) {
    std::vector<int32_t>& tokens = result.rows[i].tokens;
    const int64_t left = rows[i].request->max_new - rows[i].request->generated;
    if (static_cast<int64_t>(tokens.size()) > left) tokens.resize(static_cast<size_t>(left));
    n_new.push_back(static_cast<int64_t>(tokens.size()));
  }
  scheduler_.Commit(rows, n_new);
  Outputs outputs;
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].yields) outputs.outputs.push_back(CommitRow(rows[i], std::move(result.rows[i].tokens)));
  if (!outputs.outputs.empty()) frontend_.Send(Encode(outputs));
}

Output Engine::CommitRow(const Row& row, std::vector<int32_t> tokens) {
  Request& request = *row.request;
  Output output;
  output.id = request.id;
  output.n = request.generated;
  output.n_new = static_cast<int64_t>(tokens.size());
  output.iter = iter_;
  const bool stop = tokens.back() == kStopToken;
  output.tokens = std::move(tokens);
  output.commit = NowNs();
  llmserve_token(request.id.c_str(), output.n, output.n_new, iter_);
  if (stop)
    Finish(request, FinishReason::kStop, output);
  else if (request.generated >= request.max_new)
    Finish(request, FinishReason::kLength, output);
  return output;
}

// Ends the request: its history goes into `output`, and the scheduler forgets it.
void Engine::Finish(Request& request, FinishReason reason, Output& output) {
  llmserve_finished(request.id.c_str(), Reason(reason));
  output.id = request.id;
  output.finish = reason;
  output.queued = request.queued;
  output.scheduled = request.scheduled;
  output.iterations = std::move(request.iterations);
  output.preempted = std::move(request.preempted);
  if (!output.preempted.empty() && output.preempted.back().end == 0) output.preempted.back().end = NowNs();
  scheduler_.Remove(output.id);
}

void Engine::EndAll(FinishReason reason) {
  Outputs outputs;
  for (const std::string& id : scheduler_.Ids()) Finish(*scheduler_.Find(id), reason, outputs.outputs.emplace_back());
  if (!outputs.outputs.empty()) frontend_.Send(Encode(outputs));
}

void Engine::WriteTruth(const std::vector<Row>& rows, const Interval& schedule, const PlanResult& result) {
  if (!truth_.enabled()) return;
  TruthIteration line;
  line.iter = iter_;
  line.kernels = result.kernels;
  line.graph = result.graph;
  line.schedule = schedule;
  line.forward = result.forward;
  line.sample = result.sample;
  line.gpu = result.gpu;
  line.gpu_sample = result.gpu_sample;
  for (const Row& row : rows) line.rows.push_back({row.request->id, row.n_tok, row.kind});
  truth_.Add(ToJson(line));
}

void Engine::OnScheduled(Request& request) {
  request.scheduled = schedule_start_;
  llmserve_scheduled(request.id.c_str(), iter_, 0, -1);
  conductor_.OnAdmitted(request);
}

void Engine::OnResumed(Request& request) {
  request.preempted.back().end = NowNs();
  llmserve_resumed(request.id.c_str(), iter_);
  conductor_.OnAdmitted(request);
}

void Engine::OnPreempted(Request& request) {
  request.preempted.push_back({NowNs(), 0});
  llmserve_preempted(request.id.c_str(), iter_);
  conductor_.OnPreempted(request);
}

void Engine::OnWaiting(Request& request) {
  constexpr llmserve_wait kReasons[] = {LLMSERVE_WAIT_OTHER,   LLMSERVE_WAIT_KV_SPACE, LLMSERVE_WAIT_MAX_SEQS,
                                        LLMSERVE_WAIT_BUDGET,  LLMSERVE_WAIT_ADAPTER,  LLMSERVE_WAIT_REMOTE_KV,
                                        LLMSERVE_WAIT_GRAMMAR, LLMSERVE_WAIT_OTHER};
  llmserve_waiting(request.id.c_str(), kReasons[static_cast<size_t>(request.waiting)]);
}

void Engine::OnKvAlloc(const Request& request, int64_t blocks) {
  const llmserve_kv info{request.id.c_str(), blocks, -1, scheduler_.kv().used(), scheduler_.kv().total(), nullptr};
  llmserve_kv_push(LLMSERVE_KV_ALLOC, &info);
}

void Engine::OnKvEvict(const Request& request, int64_t blocks) {
  const llmserve_kv info{request.id.c_str(), blocks, -1, scheduler_.kv().used(), scheduler_.kv().total(), nullptr};
  llmserve_kv_push(LLMSERVE_KV_EVICT, &info);
}

void Engine::OnKvDone() { llmserve_pop(); }

}  // namespace slowtoken::demo
