// scheduler_delay and host_paused of the scheduling thread: it computes, or does not run, inside iter.schedule.
#include <slowtoken/llmserve.h>

#include "scenario/busy.h"
#include "scenario/host_pause.h"
#include "scenario/injector.h"

namespace slowtoken::demo {
namespace {

class SchedulingThreadInjector : public Injector {
 public:
  using Injector::Injector;

  void InSchedule() override {
    if (injected_) return;
    injected_ = true;
    outcome_.time = injection_.scenario == Scenario::kHostPaused ? PauseHost(injection_.variant, injection_.length)
                                                                 : Compute(injection_.length);
  }
  void OnPlan(const std::vector<Row>& rows, Plan&) override {
    if (injected_) AddDecoding(rows, outcome_.requests);
    done_ = injected_;
  }
  bool done() const override { return done_; }

 private:
  bool injected_ = false, done_ = false;
};

}  // namespace

std::unique_ptr<Injector> MakeSchedulingThreadInjector(const Injection& injection, Stage& stage) {
  return std::make_unique<SchedulingThreadInjector>(injection, stage);
}

}  // namespace slowtoken::demo
