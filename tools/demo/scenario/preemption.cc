// preempted: somebody else takes the free blocks of the KV cache, so that a request that grows pushes out the youngest
// one, which cannot come back until the blocks do.
#include "scenario/injector.h"

namespace slowtoken::demo {
namespace {

class PreemptionInjector : public Injector {
 public:
  using Injector::Injector;
  ~PreemptionInjector() override { GiveBack(); }

  void BeforeSchedule(TimeNs now) override {
    if (began_ == 0) began_ = now;
    const int64_t running = static_cast<int64_t>(stage_.scheduler.running().size());
    if (outcome_.requests.empty()) {
      // One request alone would push out itself.
      if (running >= 2 && now - began_ < kGiveUp)
        stage_.scheduler.kv().KeepFree(0);
      else
        Stop();
    } else if (now - outcome_.time.start < injection_.length && running > 0) {
      stage_.scheduler.kv().KeepFree(running);  // what they grow by; too little to come back
    } else {
      GiveBack();
      if (now - outcome_.time.start > injection_.length + kGiveUp) Stop();
    }
  }
  void OnPreempted(Request& request) override {
    if (outcome_.requests.empty()) outcome_.time.start = NowNs();
    outcome_.requests.push_back(request.id);
    ++out_;
  }
  void OnAdmitted(Request& request) override {
    if (request.recomputing && out_ > 0 && --out_ == 0) {
      outcome_.time.end = NowNs();
      Stop();
    }
  }
  bool done() const override { return done_; }

 private:
  void GiveBack() { stage_.scheduler.kv().KeepFree(stage_.scheduler.kv().total()); }
  void Stop() {
    GiveBack();
    done_ = true;
  }

  TimeNs began_ = 0;
  int64_t out_ = 0;  // requests pushed out and not yet back
  bool done_ = false;
};

}  // namespace

std::unique_ptr<Injector> MakePreemptionInjector(const Injection& injection, Stage& stage) {
  return std::make_unique<PreemptionInjector>(injection, stage);
}

}  // namespace slowtoken::demo
