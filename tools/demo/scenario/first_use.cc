// cold_start and backlog: the first iteration of a request that is sent for it finds something not loaded yet, or the
// GPU busy with an iteration that nobody waited for.
#include "scenario/injector.h"

namespace slowtoken::demo {
namespace {

constexpr int64_t kFirstUsePrompt = 64, kFirstUseAnswer = 4;

class FirstUseInjector : public Injector {
 public:
  using Injector::Injector;

  void Start() override { SendRequest(kFirstUsePrompt, kFirstUseAnswer); }
  void BeforeSchedule(TimeNs now) override {
    if (began_ == 0) began_ = now;
    over_ = over_ || now - began_ > injection_.length + kGiveUp;
  }
  void OnPlan(const std::vector<Row>& rows, Plan& plan) override {
    for (const Row& row : rows) ordered_ = ordered_ || row.request->id == OwnId();
    if (!ordered_) return;
    WorkerOrder order{static_cast<int64_t>(injection_.scenario), injection_.variant, injection_.length, 0};
    if (injection_.scenario == Scenario::kBacklog) order.number = stage_.take_iteration();
    index_ = plan.orders.size();
    plan.orders.push_back(order);
  }
  void OnResult(const std::vector<Row>& rows, const PlanResult& result) override {
    if (!ordered_) return;
    over_ = true;
    if (index_ < result.orders.size()) outcome_.time = result.orders[index_];
    for (const Row& row : rows)  // whoever had its first iteration here waited too
      if ((row.kind == 'p' || row.kind == 'c') && row.request->computed == 0)
        outcome_.requests.push_back(row.request->id);
  }
  bool done() const override { return over_; }

 private:
  bool ordered_ = false, over_ = false;
  size_t index_ = 0;
  TimeNs began_ = 0;
};

}  // namespace

std::unique_ptr<Injector> MakeFirstUseInjector(const Injection& injection, Stage& stage) {
  return std::make_unique<FirstUseInjector>(injection, stage);
}

}  // namespace slowtoken::demo
