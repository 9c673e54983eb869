// queue_adapter, queue_remote_kv, queue_grammar, queue_other: a request that is sent for it needs something that
// another thread must first load, receive or build; others pass it in the queue.
#include <pthread.h>
#include <slowtoken/llmserve.h>

#include <atomic>
#include <thread>

#include "scenario/busy.h"
#include "scenario/injector.h"

namespace slowtoken::demo {
namespace {

constexpr int64_t kHeldPrompt = 64, kHeldAnswer = 4;

class HeldRequestInjector : public Injector {
 public:
  using Injector::Injector;
  ~HeldRequestInjector() override {
    if (thread_.joinable()) thread_.join();
  }

  void Start() override { SendRequest(kHeldPrompt, kHeldAnswer); }
  void BeforeSchedule(TimeNs now) override {
    if (began_ == 0) began_ = now;
    over_ = over_ || now - began_ > injection_.length + kGiveUp;
    if (!ready_) return;
    if (Request* request = stage_.scheduler.Find(OwnId())) request->held = WaitReason::kNone;
  }
  void OnQueued(Request& request) override {
    if (request.id != OwnId()) return;
    request.held = Reason();
    thread_ = std::thread([this] { Fetch(); });
  }
  void OnAdmitted(Request& request) override {
    if (request.id != OwnId()) return;
    outcome_.time = time_;
    outcome_.requests = {request.id};
    over_ = true;
  }
  bool done() const override { return over_; }

 private:
  WaitReason Reason() const {
    switch (injection_.scenario) {
      case Scenario::kQueueAdapter:
        return WaitReason::kAdapter;
      case Scenario::kQueueRemoteKv:
        return WaitReason::kRemoteKv;
      case Scenario::kQueueGrammar:
        return WaitReason::kGrammar;
      default:
        return WaitReason::kOther;
    }
  }

  // The other thread.
  void Fetch() {
    pthread_setname_np(pthread_self(), "fetcher");
    const std::string id = OwnId();
    time_.start = NowNs();
    if (injection_.scenario == Scenario::kQueueAdapter) {
      const llmserve::Scope range{llmserve::Work{LLMSERVE_ADAPTER_LOAD, "adapter"}};
      SleepFor(injection_.length);  // the disk
    } else if (injection_.scenario == Scenario::kQueueRemoteKv) {
      llmserve_kv about;
      about.req = id.c_str();
      about.peer = "prefill-0";
      llmserve::Span range{llmserve::Kv{LLMSERVE_KV_RECV, about}};
      SleepFor(injection_.length);  // the network
    } else if (injection_.scenario == Scenario::kQueueGrammar) {
      Compute(injection_.length);
    } else {
      SleepFor(injection_.length);
    }
    time_.end = NowNs();
    ready_ = true;
  }

  std::atomic<bool> ready_{false};
  Interval time_;  // the other thread's until `ready_`
  std::thread thread_;
  TimeNs began_ = 0;
  bool over_ = false;
};

}  // namespace

std::unique_ptr<Injector> MakeHeldRequestInjector(const Injection& injection, Stage& stage) {
  return std::make_unique<HeldRequestInjector>(injection, stage);
}

}  // namespace slowtoken::demo
