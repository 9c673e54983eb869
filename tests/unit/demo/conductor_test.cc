// The scenarios' side of the engine, with a scheduler but without GPU, NVTX or frontend.
#include "scenario/conductor.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "own_file.h"
#include "scenario/parse.h"

namespace slowtoken::demo {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class ConductorTest : public testing::Test, public SchedulerObserver {
 protected:
  ConductorTest() {
    config.max_batch_tokens = 100;
    config.block_tokens = 4;
    config.kv_blocks = 2000;
    config.decode_us = 1000;
    EXPECT_TRUE(truth.Open(path, true).ok());
  }

  void Begin(const std::string& scenario) {
    scheduler.emplace(config, *this);
    absl::StatusOr<std::vector<Injection>> injections = ParseScenarios(scenario, 1);
    ASSERT_TRUE(injections.ok()) << injections.status();
    for (Injection& injection : *injections) injection.pause = 0;
    Stage stage{config, *scheduler, [this](FrontendOrder order) { Carry(order); }, [] { return int64_t{77}; }};
    conductor = std::make_unique<Conductor>(*injections, std::move(stage), truth);
  }

  // The frontend: sends what it is told to, at once.
  void Carry(const FrontendOrder& order) {
    orders.push_back(order);
    if (order.what == FrontendOrder::What::kSendRequest) to_add.push_back(order);
  }
  void Add(const std::string& id, int64_t n_prompt, int64_t max_new) {
    conductor->OnQueued(scheduler->Add(id, n_prompt, max_new));
  }

  // One turn of the engine's loop: a millisecond on the GPU.
  void Step() {
    for (const FrontendOrder& order : std::exchange(to_add, {})) Add(order.id, order.n_prompt, order.max_new);
    conductor->Poll(NowNs());
    const bool idle = scheduler->idle();
    Plan plan;
    std::vector<Row> rows;
    if (!idle) {
      conductor->InSchedule();
      rows = scheduler->Schedule();
    }
    if (!rows.empty()) Run(rows, plan);
    plans.push_back(plan);
    if (rows.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  void Run(const std::vector<Row>& rows, Plan& plan) {
    plan.bucket = IsUniformDecode(rows) ? 4 : 0;
    for (const Row& row : rows) plan.rows.push_back({row.request->id, row.n_tok, 0, 0, row.kind, row.yields, {}});
    conductor->OnPlan(rows, plan);
    PlanResult result;
    const TimeNs start = NowNs();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    result.orders.assign(plan.orders.size(), worker_fails ? Interval{} : Interval{start, NowNs()});
    conductor->OnResult(rows, result);
    std::vector<int64_t> n_new;
    for (const Row& row : rows) n_new.push_back(row.yields);
    scheduler->Commit(rows, n_new);
    for (const std::string& id : scheduler->Ids())
      if (scheduler->Find(id)->generated >= scheduler->Find(id)->max_new) scheduler->Remove(id);
  }
  void RunUntilOver() {
    for (int i = 0; i < 5000 && conductor->active(); ++i) Step();
    EXPECT_FALSE(conductor->active());
  }

  std::vector<json> Lines() {
    truth.Close();
    std::vector<json> lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) lines.push_back(json::parse(line));
    return lines;
  }
  static TimeNs Length(const json& line) { return line["end"].get<TimeNs>() - line["start"].get<TimeNs>(); }
  static std::vector<std::string> Hit(const json& line) { return line["reqs"].get<std::vector<std::string>>(); }

  void OnScheduled(Request& request) override { conductor->OnAdmitted(request); }
  void OnResumed(Request& request) override { conductor->OnAdmitted(request); }
  void OnPreempted(Request& request) override { conductor->OnPreempted(request); }
  void OnWaiting(Request& request) override { reasons[request.id] = request.waiting; }
  void OnKvAlloc(const Request&, int64_t) override {}
  void OnKvEvict(const Request&, int64_t) override {}
  void OnKvDone() override {}

  Config config;
  const OwnFile own{"truth.jsonl"};
  const std::string& path = own.path();
  TruthFile truth;
  std::optional<Scheduler> scheduler;
  std::unique_ptr<Conductor> conductor;
  std::vector<FrontendOrder> orders, to_add;
  std::vector<Plan> plans;
  std::map<std::string, WaitReason> reasons;
  bool worker_fails = false;
};

TEST_F(ConductorTest, TheSchedulingThreadComputesWhileOthersWait) {
  Begin("scheduler_delay+0.02");
  Add("a", 10, 30);
  Add("b", 10, 30);
  RunUntilOver();
  const std::vector<json> lines = Lines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["injected"], "scheduler_delay");
  EXPECT_GE(Length(lines[0]), 20'000'000);
  EXPECT_THAT(Hit(lines[0]), UnorderedElementsAre("a", "b"));
}

TEST_F(ConductorTest, NothingBeginsBeforeTheFirstRequestOrWhileNobodyDecodes) {
  Begin("scheduler_delay+0.001,sampling@0+0.001");
  Step();
  EXPECT_TRUE(conductor->active());
  Add("a", 10, 1);  // it never decodes; the injection with a start begins and hits nobody
  for (int i = 0; i < 20; ++i) Step();
  EXPECT_TRUE(conductor->active());
  EXPECT_TRUE(Lines().empty());
}

TEST_F(ConductorTest, AMissedGraphIsTakenFromThePlanAndNamedToTheWorker) {
  Begin("graph_miss:jit+0.03");
  Add("a", 10, 30);
  RunUntilOver();
  const auto plan = std::find_if(plans.begin(), plans.end(), [](const Plan& p) { return !p.orders.empty(); });
  ASSERT_NE(plan, plans.end());
  EXPECT_EQ(plan->bucket, 0);
  ASSERT_EQ(plan->orders.size(), 1u);
  EXPECT_EQ(plan->orders[0].scenario, static_cast<int64_t>(Scenario::kGraphMiss));
  EXPECT_EQ(plan->orders[0].variant, variant::kJit);
  EXPECT_EQ(plan->orders[0].number, 4);
  EXPECT_EQ(plan->orders[0].length, 30'000'000);
  EXPECT_EQ((plan + 1)->bucket, 4);
  EXPECT_EQ(Lines().size(), 1u);
}

TEST_F(ConductorTest, AGpuIsSlowForAsLongAsAsked) {
  Begin("gpu_slow+0.2");
  Add("a", 10, 500);
  RunUntilOver();
  const auto ordered = std::count_if(plans.begin(), plans.end(), [](const Plan& p) { return !p.orders.empty(); });
  EXPECT_GE(ordered, 2);
  const std::vector<json> lines = Lines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(Hit(lines[0]), ElementsAre("a"));
}

TEST_F(ConductorTest, WhatTheWorkerCannotDoIsNotSaidToHaveHappened) {
  worker_fails = true;
  Begin("kv_cache_sync+0.02,gpu_slow+0.02");
  Add("a", 10, 200);
  RunUntilOver();
  EXPECT_TRUE(Lines().empty());
}

TEST_F(ConductorTest, QueuedRequestsWaitForTheReasonOfTheLimit) {
  const std::pair<const char*, WaitReason> cases[] = {{"queue_max_seqs", WaitReason::kMaxSeqs},
                                                      {"queue_budget", WaitReason::kBudget},
                                                      {"queue_kv_space", WaitReason::kKvSpace}};
  std::string all;
  for (const auto& [name, reason] : cases) all += std::string(all.empty() ? "" : ",") + name + "+0.2";
  Begin(all);
  Add("a", 10, 2000);
  RunUntilOver();
  const std::vector<json> lines = Lines();
  ASSERT_EQ(lines.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    const std::string id = "injected-" + std::to_string(i + 1);
    EXPECT_EQ(lines[i]["injected"], cases[i].first);
    EXPECT_GE(Length(lines[i]), 200'000'000);
    EXPECT_THAT(Hit(lines[i]), ElementsAre(id));
    EXPECT_EQ(reasons[id], cases[i].second);
  }
  EXPECT_EQ(scheduler->kv().free() + static_cast<int64_t>(scheduler->running().empty() ? 0 : scheduler->kv().used()),
            scheduler->kv().total());
}

TEST_F(ConductorTest, ALimitEndsWhenNobodyRunsAnyMore) {
  Begin("queue_kv_space@0+5");
  Add("a", 10, 5);
  RunUntilOver();  // not after five seconds, and the request that waited was let in
  for (int i = 0; i < 100 && !scheduler->idle(); ++i) Step();
  EXPECT_EQ(scheduler->Find("injected-1"), nullptr);
  EXPECT_EQ(scheduler->kv().free(), scheduler->kv().total());
}

TEST_F(ConductorTest, AHeldRequestIsFetchedByAnotherThread) {
  Begin("queue_remote_kv+0.02,queue_adapter+0.02,queue_grammar+0.02,queue_other+0.02");
  Add("a", 10, 400);
  RunUntilOver();
  const std::vector<json> lines = Lines();
  ASSERT_EQ(lines.size(), 4u);
  const WaitReason expected[] = {WaitReason::kRemoteKv, WaitReason::kAdapter, WaitReason::kGrammar, WaitReason::kOther};
  for (size_t i = 0; i < 4; ++i) {
    const std::string id = "injected-" + std::to_string(i + 1);
    EXPECT_THAT(Hit(lines[i]), ElementsAre(id));
    EXPECT_GE(Length(lines[i]), 20'000'000);
    EXPECT_EQ(reasons[id], expected[i]);
  }
}

TEST_F(ConductorTest, ThePreemptedOneComesBackWhenTheBlocksDo) {
  Begin("preempted+0.03");
  Add("old", 10, 200);
  Add("young", 10, 200);
  RunUntilOver();
  const std::vector<json> lines = Lines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["injected"], "preempted");
  EXPECT_GE(Length(lines[0]), 30'000'000);
  EXPECT_THAT(Hit(lines[0]), ElementsAre("young"));
  EXPECT_TRUE(scheduler->Find("young")->running);
}

TEST_F(ConductorTest, AForeignPromptIsComputedInOnePiece) {
  config.prefill_us_per_token = 50;
  config.lifted_batch_tokens = 8192;
  Begin("prefill_interference+0.02");
  Add("a", 10, 100);
  RunUntilOver();
  const std::vector<json> lines = Lines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(Hit(lines[0]), ElementsAre("a"));
  ASSERT_EQ(orders.size(), 1u);
  EXPECT_EQ(orders[0].n_prompt, 400);  // 20 ms at 50 us a token
  bool whole = false;
  for (const Plan& plan : plans)
    for (const PlanRow& row : plan.rows) whole = whole || (row.id == "injected-1" && row.n_tok == 400);
  EXPECT_TRUE(whole);
}

TEST_F(ConductorTest, ChunksOfALongPromptLieApart) {
  Begin("chunk_interleaving+0.03");
  Add("a", 10, 400);
  RunUntilOver();
  const std::vector<json> lines = Lines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(Hit(lines[0]), ElementsAre("injected-1"));
  EXPECT_GE(Length(lines[0]), 25'000'000);
}

TEST_F(ConductorTest, FirstUseOrdersGoWithTheFirstIterationOfTheRequestSent) {
  Begin("backlog+0.02,cold_start:load+0.02");
  Add("a", 10, 1);
  RunUntilOver();
  std::vector<std::pair<int64_t, int64_t>> seen;  // scenario and number
  for (const Plan& plan : plans)
    for (const WorkerOrder& order : plan.orders) seen.emplace_back(order.scenario, order.number);
  EXPECT_THAT(seen, ElementsAre(std::pair(static_cast<int64_t>(Scenario::kBacklog), 77),
                                std::pair(static_cast<int64_t>(Scenario::kColdStart), 0)));
  const std::vector<json> lines = Lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(Hit(lines[0]), ElementsAre("injected-1"));
  EXPECT_THAT(Hit(lines[1]), ElementsAre("injected-2"));
}

TEST_F(ConductorTest, FloatingInjectionsComeOneAfterAnother) {
  Begin("sampling:cpu*5+0.001");
  Add("a", 10, 400);
  RunUntilOver();
  const std::vector<json> lines = Lines();
  ASSERT_EQ(lines.size(), 5u);
  for (size_t i = 1; i < 5; ++i) EXPECT_GE(lines[i]["start"], lines[i - 1]["end"]);
}

}  // namespace
}  // namespace slowtoken::demo
