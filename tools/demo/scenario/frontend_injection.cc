// transport_backpressure and tokenizer happen in the frontend, which also writes their lines; here they are only
// ordered, and waited for.
#include "scenario/injector.h"

namespace slowtoken::demo {
namespace {

constexpr TimeNs kAfter = 300'000'000;  // until the effect has passed

class FrontendInjector : public Injector {
 public:
  using Injector::Injector;

  void Start() override {
    stage_.tell_frontend({What(), OwnId(), 0, 0, injection_.length});
    began_ = NowNs();
  }
  void BeforeSchedule(TimeNs now) override { over_ = now - began_ > injection_.length + kAfter; }
  bool done() const override { return over_; }

 private:
  FrontendOrder::What What() const {
    if (injection_.scenario == Scenario::kTokenizer) return FrontendOrder::What::kLongText;
    return injection_.variant == variant::kSlowClient ? FrontendOrder::What::kSlowClient
                                                      : FrontendOrder::What::kHoldSenders;
  }

  TimeNs began_ = 0;
  bool over_ = false;
};

}  // namespace

std::unique_ptr<Injector> MakeFrontendInjector(const Injection& injection, Stage& stage) {
  return std::make_unique<FrontendInjector>(injection, stage);
}

}  // namespace slowtoken::demo
