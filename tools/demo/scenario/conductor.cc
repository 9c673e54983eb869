#include "scenario/conductor.h"

#include <algorithm>
#include <utility>

namespace slowtoken::demo {
namespace {

constexpr TimeNs kPatience = 1'000'000'000;  // how long cold_start and backlog wait for a moment when nobody decodes

std::unique_ptr<Injector> Make(const Injection& injection, Stage& stage) {
  switch (injection.scenario) {
    case Scenario::kSchedulerDelay:
      return MakeSchedulingThreadInjector(injection, stage);
    case Scenario::kHostPaused:  // of the thread that schedules, or of the one that launches
      return injection.serial % 2 == 0 ? MakeSchedulingThreadInjector(injection, stage)
                                       : MakeWorkerInjector(injection, stage);
    case Scenario::kPrefillInterference:
      return MakeForeignPromptInjector(injection, stage);
    case Scenario::kPreempted:
      return MakePreemptionInjector(injection, stage);
    case Scenario::kTransportBackpressure:
    case Scenario::kTokenizer:
      return MakeFrontendInjector(injection, stage);
    case Scenario::kQueueMaxSeqs:
    case Scenario::kQueueBudget:
    case Scenario::kQueueKvSpace:
      return MakeQueueLimitInjector(injection, stage);
    case Scenario::kQueueAdapter:
    case Scenario::kQueueRemoteKv:
    case Scenario::kQueueGrammar:
    case Scenario::kQueueOther:
      return MakeHeldRequestInjector(injection, stage);
    case Scenario::kLongPrompt:
    case Scenario::kChunkInterleaving:
      return MakeLongPromptInjector(injection, stage);
    case Scenario::kColdStart:
    case Scenario::kBacklog:
      return MakeFirstUseInjector(injection, stage);
    case Scenario::kKvCacheSync:
    case Scenario::kCollectiveWait:
    case Scenario::kGraphMiss:
    case Scenario::kSampling:
    case Scenario::kGpuSlow:
      return MakeWorkerInjector(injection, stage);
  }
  return nullptr;
}

// The requests that decode, are not near their end, and will not be for `length`.
int64_t CountDecoding(const Stage& stage, TimeNs length) {
  const int64_t iterations = length / (1000 * stage.config.decode_us) + 4;
  return std::count_if(stage.scheduler.running().begin(), stage.scheduler.running().end(),
                       [&](const Request* r) { return r->decoding() && r->max_new - r->generated >= iterations; });
}

}  // namespace

void AddDecoding(const std::vector<Row>& rows, std::vector<std::string>& ids) {
  for (const Row& row : rows)
    if (Decodes(row) && std::find(ids.begin(), ids.end(), row.request->id) == ids.end()) ids.push_back(row.request->id);
}

Conductor::Conductor(const std::vector<Injection>& injections, Stage stage, TruthFile& truth)
    : stage_(std::move(stage)), truth_(truth), waiting_(injections.begin(), injections.end()) {}

Conductor::~Conductor() = default;

void Conductor::Poll(TimeNs now) {
  for (const auto& injector : running_) injector->BeforeSchedule(now);
  for (auto it = running_.begin(); it != running_.end();) {
    if (!(*it)->done()) {
      ++it;
      continue;
    }
    const TruthInjection& outcome = (*it)->outcome();
    if (outcome.time.end > outcome.time.start && !outcome.requests.empty()) truth_.Add(ToJson(outcome));
    it = running_.erase(it);
    quiet_since_ = now;
  }
  while (!waiting_.empty() && Due(waiting_.front(), now)) {
    const Injection injection = waiting_.front();
    waiting_.pop_front();
    Begin(injection);
  }
}

// Those with a start begin then, whatever else is under way; the others one after another.
bool Conductor::Due(const Injection& injection, TimeNs now) {
  if (first_request_ == 0) return false;
  if (injection.start != kWhenDecoding) return now - first_request_ >= injection.start;
  return running_.empty() && now - quiet_since_ >= injection.pause && SomebodyToHit(injection, now);
}

bool Conductor::SomebodyToHit(const Injection& injection, TimeNs now) const {
  switch (injection.scenario) {
    case Scenario::kColdStart:
    case Scenario::kBacklog:  // these stop everybody: better where nobody is in the middle of an answer
      return stage_.scheduler.idle() || now - quiet_since_ - injection.pause > kPatience;
    case Scenario::kTokenizer:
    case Scenario::kLongPrompt:
      return true;
    case Scenario::kPreempted:
      return CountDecoding(stage_, 0) >= 2;
    case Scenario::kQueueMaxSeqs:
    case Scenario::kQueueBudget:
    case Scenario::kQueueKvSpace:
    case Scenario::kChunkInterleaving:
      return CountDecoding(stage_, injection.length) >= 1;
    default:
      return CountDecoding(stage_, 0) >= 1;
  }
}

void Conductor::Begin(const Injection& injection) {
  running_.push_back(Make(injection, stage_));
  running_.back()->Start();
}

void Conductor::OnQueued(Request& request) {
  if (first_request_ == 0) first_request_ = quiet_since_ = NowNs();
  for (const auto& injector : running_) injector->OnQueued(request);
}

void Conductor::InSchedule() {
  for (const auto& injector : running_) injector->InSchedule();
}

void Conductor::OnAdmitted(Request& request) {
  for (const auto& injector : running_) injector->OnAdmitted(request);
}

void Conductor::OnPreempted(Request& request) {
  for (const auto& injector : running_) injector->OnPreempted(request);
}

void Conductor::OnPlan(const std::vector<Row>& rows, Plan& plan) {
  for (const auto& injector : running_) injector->OnPlan(rows, plan);
}

void Conductor::OnResult(const std::vector<Row>& rows, const PlanResult& result) {
  for (const auto& injector : running_) injector->OnResult(rows, result);
}

}  // namespace slowtoken::demo
