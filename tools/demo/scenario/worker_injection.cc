// What the GPU worker does in one decode iteration, or (gpu_slow) in all for a while: kv_cache_sync, collective_wait,
// graph_miss, sampling, gpu_slow, and host_paused of the launching thread. The plan carries the order to it.
#include <algorithm>
#include <utility>

#include "scenario/injector.h"

namespace slowtoken::demo {
namespace {

class WorkerInjector : public Injector {
 public:
  using Injector::Injector;

  void BeforeSchedule(TimeNs now) override {
    if (began_ == 0) began_ = now;
    now_ = now;
    // A slow GPU stays so for `length`, the rest happens once.
    const bool lasting = injection_.scenario == Scenario::kGpuSlow;
    if (outcome_.time.start > 0 && (!lasting || now - outcome_.time.start >= injection_.length)) over_ = true;
  }
  void OnPlan(const std::vector<Row>& rows, Plan& plan) override {
    ordered_ = !over_ && Fits(rows, plan);
    if (!ordered_) return;
    WorkerOrder order{static_cast<int64_t>(injection_.scenario), injection_.variant, injection_.length, 0};
    if (injection_.scenario == Scenario::kGraphMiss) order.number = std::exchange(plan.bucket, 0);
    index_ = plan.orders.size();
    plan.orders.push_back(order);
  }
  void OnResult(const std::vector<Row>& rows, const PlanResult& result) override {
    if (!ordered_ || index_ >= result.orders.size()) return;
    const Interval& time = result.orders[index_];
    over_ = over_ || time.end == 0;  // it cannot be done here
    if (time.end == 0) return;
    if (outcome_.time.start == 0) outcome_.time.start = time.start;
    outcome_.time.end = std::max(outcome_.time.end, time.end);
    AddDecoding(rows, outcome_.requests);
  }
  bool done() const override { return over_ || now_ - began_ > kGiveUp; }

 private:
  // Somebody must be hit; a graph can only be missed where one would be replayed; and where others' prompts are
  // computed too, nobody could say what the iteration would have taken on a GPU that is not slow.
  bool Fits(const std::vector<Row>& rows, const Plan& plan) const {
    if (injection_.scenario == Scenario::kGraphMiss && plan.bucket == 0) return false;
    if (injection_.scenario == Scenario::kGpuSlow) return std::all_of(rows.begin(), rows.end(), Decodes);
    return std::any_of(rows.begin(), rows.end(), Decodes);
  }

  bool ordered_ = false, over_ = false;
  size_t index_ = 0;
  TimeNs began_ = 0, now_ = 0;
};

}  // namespace

std::unique_ptr<Injector> MakeWorkerInjector(const Injection& injection, Stage& stage) {
  return std::make_unique<WorkerInjector>(injection, stage);
}

}  // namespace slowtoken::demo
