// One injection under way, as the engine's thread sees it. The Conductor makes one for each injection that starts,
// tells it what the engine does, and writes its line when it is over. All calls on the engine's thread; costs nothing
// while no scenario runs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/config.h"
#include "core/messages.h"
#include "core/scheduler.h"
#include "core/truth.h"
#include "scenario/kinds.h"

namespace slowtoken::demo {

// What an injector may touch.
struct Stage {
  const Config& config;
  Scheduler& scheduler;
  std::function<void(FrontendOrder)> tell_frontend;
  std::function<int64_t()> take_iteration;  // the number of an iteration of its own, before that of the next plan
};

class Injector {
 public:
  Injector(const Injection& injection, Stage& stage) : injection_(injection), stage_(stage) {}
  virtual ~Injector() = default;
  Injector(const Injector&) = delete;
  Injector& operator=(const Injector&) = delete;

  virtual void Start() {}
  virtual void OnQueued(Request&) {}      // it has just come into the queue
  virtual void BeforeSchedule(TimeNs) {}  // before each iteration, and now and then while idle
  virtual void InSchedule() {}            // inside iter.schedule, before anything is decided
  virtual void OnAdmitted(Request&) {}    // a request joined the batch: first time, or resumed
  virtual void OnPreempted(Request&) {}
  virtual void OnPlan(const std::vector<Row>&, Plan&) {}                // before the plan runs
  virtual void OnResult(const std::vector<Row>&, const PlanResult&) {}  // it ran; tokens are not committed yet
  virtual bool done() const = 0;

  // What is known once it is done; no line is written where nobody was hit.
  const TruthInjection& outcome() const { return outcome_; }
  const Injection& injection() const { return injection_; }

 protected:
  // The id of the request that this injection sends, if it does.
  std::string OwnId() const { return "injected-" + std::to_string(injection_.serial); }
  // Has the frontend send one.
  void SendRequest(int64_t n_prompt, int64_t max_new) {
    stage_.tell_frontend({FrontendOrder::What::kSendRequest, OwnId(), n_prompt, max_new, 0});
  }

  const Injection injection_;
  Stage& stage_;
  TruthInjection outcome_{
      injection_.kind().cause, std::string(VariantName(injection_.kind(), injection_.variant)), {}, {}};
};

constexpr TimeNs kGiveUp = 3'000'000'000;  // an injection that has not taken effect by then, will not

// Whether `request` decodes: it has a token already.
inline bool Decodes(const Row& row) { return row.kind == 'd' || row.kind == 'v'; }
void AddDecoding(const std::vector<Row>& rows, std::vector<std::string>& ids);

// The injector of each kind (scenario/NAME.cc).
std::unique_ptr<Injector> MakeSchedulingThreadInjector(const Injection& injection, Stage& stage);
std::unique_ptr<Injector> MakeWorkerInjector(const Injection& injection, Stage& stage);
std::unique_ptr<Injector> MakeForeignPromptInjector(const Injection& injection, Stage& stage);
std::unique_ptr<Injector> MakePreemptionInjector(const Injection& injection, Stage& stage);
std::unique_ptr<Injector> MakeFrontendInjector(const Injection& injection, Stage& stage);
std::unique_ptr<Injector> MakeQueueLimitInjector(const Injection& injection, Stage& stage);
std::unique_ptr<Injector> MakeHeldRequestInjector(const Injection& injection, Stage& stage);
std::unique_ptr<Injector> MakeLongPromptInjector(const Injection& injection, Stage& stage);
std::unique_ptr<Injector> MakeFirstUseInjector(const Injection& injection, Stage& stage);

}  // namespace slowtoken::demo
