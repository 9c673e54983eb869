// queue_max_seqs, queue_budget, queue_kv_space: for a while nobody leaves the queue, because the running requests are
// as many as may run, use up the token budget, or somebody else has the free KV cache. A request is sent to wait there.
#include <algorithm>
#include <map>

#include "scenario/injector.h"

namespace slowtoken::demo {
namespace {

constexpr int64_t kQueuedPrompt = 64, kQueuedAnswer = 4;

class QueueLimitInjector : public Injector {
 public:
  using Injector::Injector;
  ~QueueLimitInjector() override { Lift(); }

  void Start() override {
    outcome_.time.start = NowNs();
    SendRequest(kQueuedPrompt, kQueuedAnswer);
  }
  void BeforeSchedule(TimeNs now) override {
    const int64_t running = static_cast<int64_t>(stage_.scheduler.running().size());
    if (outcome_.time.end == 0 && (running == 0 || now - outcome_.time.start >= injection_.length)) {
      Lift();
      outcome_.time.end = now;
    }
    if (outcome_.time.end == 0) Limit(running);
    over_ = outcome_.time.end > 0 && (waiting_.empty() || now - outcome_.time.end > kGiveUp);
  }
  void OnQueued(Request& request) override {
    if (outcome_.time.end == 0) waiting_[request.id] = NowNs();
  }
  // Those that the limit kept for at least half of the time were hit.
  void OnAdmitted(Request& request) override {
    const auto found = waiting_.find(request.id);
    if (found == waiting_.end()) return;
    if (outcome_.time.end - found->second >= injection_.length / 2) outcome_.requests.push_back(request.id);
    waiting_.erase(found);
  }
  bool done() const override { return over_; }

 private:
  void Limit(int64_t running) {
    SchedulerLimits& limits = stage_.scheduler.limits();
    if (injection_.scenario == Scenario::kQueueMaxSeqs) limits.max_seqs = running;
    if (injection_.scenario == Scenario::kQueueBudget) limits.queue_gets_no_tokens = true;
    if (injection_.scenario == Scenario::kQueueKvSpace) stage_.scheduler.kv().KeepFree(running);
  }
  void Lift() {
    stage_.scheduler.limits() = {};
    stage_.scheduler.kv().KeepFree(stage_.scheduler.kv().total());
  }

  std::map<std::string, TimeNs> waiting_;  // since when
  bool over_ = false;
};

}  // namespace

std::unique_ptr<Injector> MakeQueueLimitInjector(const Injection& injection, Stage& stage) {
  return std::make_unique<QueueLimitInjector>(injection, stage);
}

}  // namespace slowtoken::demo
