// prefill_interference: a long prompt arrives, and no budget cuts it, so that one iteration computes all of it while
// others decode.
#include <algorithm>

#include "scenario/injector.h"

namespace slowtoken::demo {
namespace {

class ForeignPromptInjector : public Injector {
 public:
  using Injector::Injector;

  void Start() override {
    const int64_t tokens = injection_.length / std::max<int64_t>(1, 1000 * stage_.config.prefill_us_per_token);
    const int64_t most = stage_.config.lifted_batch_tokens - stage_.config.max_batch_tokens;
    SendRequest(std::clamp<int64_t>(tokens, 1, std::max<int64_t>(1, most)), 1);
  }
  void BeforeSchedule(TimeNs now) override {
    if (began_ == 0) began_ = now;
    now_ = now;
  }
  void OnQueued(Request& request) override {
    if (request.id == OwnId()) request.whole = true;
  }
  void OnPlan(const std::vector<Row>& rows, Plan&) override {
    mine_ = std::any_of(rows.begin(), rows.end(), [this](const Row& row) { return row.request->id == OwnId(); });
    if (!mine_) return;
    outcome_.time.start = NowNs();
    AddDecoding(rows, outcome_.requests);
  }
  void OnResult(const std::vector<Row>&, const PlanResult&) override {
    if (mine_) outcome_.time.end = NowNs();
  }
  bool done() const override { return outcome_.time.end > 0 || now_ - began_ > kGiveUp; }

 private:
  bool mine_ = false;
  TimeNs began_ = 0, now_ = 0;
};

}  // namespace

std::unique_ptr<Injector> MakeForeignPromptInjector(const Injection& injection, Stage& stage) {
  return std::make_unique<ForeignPromptInjector>(injection, stage);
}

}  // namespace slowtoken::demo
