// The order of events between two Advance events has no meaning, and the home of the engine has none either.
#include <gmock/gmock.h>

#include <random>

#include "dump.h"
#include "workload.h"

namespace slowtoken::attribution::testing {
namespace {

WorkloadOptions Rich(uint64_t seed) {
  return {.seed = seed,
          .requests = 30,
          .processes = 2,
          .overlap = true,
          .graphs = GraphUse::kNodes,
          .kernels = 20,
          .nested_calls = true,
          .collectives = true,
          .second_stream = true,
          .preempt = 0.03,
          .abort = 0.05,
          .speculate = 0.2,
          .dummy = 0.1,
          .wait_reasons = 0.5,
          .host_work = 0.3};
}

std::string Conclusions(const WorkloadOptions& workload, const DeliveryOptions& delivery, const EngineConfig& config) {
  Bench bench(config);
  Deliver(MakeWorkload(workload, bench), delivery, bench);
  bench.engine().EmitHistograms();
  bench.engine().EmitCounters();
  return Dump(bench.out());
}

TEST(Order, BugLog97_ShuffledWithinAndAcrossBuffersIsTheSame) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const WorkloadOptions workload = Rich(seed);
    const std::string expected = Conclusions(workload, {.processes = 2}, SmallConfig(2));
    ASSERT_THAT(expected, ::testing::HasSubstr("request "));
    for (uint64_t shuffle = 1; shuffle <= 3; ++shuffle) {
      EXPECT_EQ(Conclusions(workload, {.seed = shuffle, .shuffle = true, .processes = 2}, SmallConfig(2)), expected);
      EXPECT_EQ(Conclusions(workload, {.seed = shuffle, .lateness = 240 * kMs, .shuffle = true, .processes = 2},
                            SmallConfig(2)),
                expected);
    }
  }
}

TEST(Order, MoreMemoryGivesTheSameSummaries) {
  EngineConfig large = SmallConfig(2);
  large.limits.requests *= 2;
  large.limits.tokens *= 2;
  large.limits.own_iterations *= 2;
  large.limits.result_blocks *= 2;
  large.limits.iterations *= 4;
  large.limits.interval_blocks *= 4;
  large.limits.launches *= 4;
  large.limits.gpu_records *= 4;
  const WorkloadOptions workload = Rich(9);
  const DeliveryOptions delivery{.seed = 3, .lateness = 100 * kMs, .shuffle = true, .processes = 2};
  EXPECT_EQ(Conclusions(workload, delivery, SmallConfig(2)), Conclusions(workload, delivery, large));
}

TEST(Order, RepeatedEventsChangeNothing) {
  const WorkloadOptions workload = Rich(4);
  Bench once(SmallConfig(2)), twice(SmallConfig(2));
  const EventLog log = MakeWorkload(workload, once);
  EventLog repeated;
  for (const LoggedEvent& event : log) {
    repeated.push_back(event);
    const auto* annotation = std::get_if<record::Annotation>(&event.event);
    if (annotation == nullptr) continue;
    repeated.push_back(event);
    if (annotation->kind != record::AnnotationKind::kMark) {  // also given while it was open
      repeated.push_back(event);
      std::get<record::Annotation>(repeated.back().event).end = 0;
      repeated.back().known = annotation->start;
    }
  }
  MakeWorkload(workload, twice);  // the same names in its dictionary
  Deliver(log, {.processes = 2}, once);
  Deliver(repeated, {.shuffle = true, .processes = 2}, twice);
  EXPECT_EQ(Dump(once.out()), Dump(twice.out()));
}

// What one process alone can say: it is what the joint run says of the iterations whose events are all its own.
TEST(Order, OneProcessAloneSaysItsPartOfTheJointRun) {
  WorkloadOptions workload{.seed = 6, .requests = 20, .processes = 2};
  Bench joint(SmallConfig(2)), frontend, engine;
  const EventLog log = MakeWorkload(workload, joint);
  MakeWorkload(workload, frontend);
  MakeWorkload(workload, engine);
  EventLog logs[2];
  for (const LoggedEvent& event : log) {
    const uint16_t process = std::visit([](const auto& e) { return e.process; }, event.event);
    LoggedEvent moved = event;
    std::visit([](auto& e) { e.process = 0; }, moved.event);
    logs[process].push_back(moved);
  }
  Deliver(log, {.processes = 2}, joint);
  Deliver(logs[0], {}, frontend);
  Deliver(logs[1], {}, engine);
  EXPECT_TRUE(frontend.out().iterations.empty());
  ASSERT_EQ(engine.out().iterations.size(), joint.out().iterations.size());
  for (size_t i = 0; i < engine.out().iterations.size(); ++i) {
    EXPECT_EQ(engine.out().iterations[i].rows, joint.out().iterations[i].rows);
    EXPECT_EQ(engine.out().iterations[i].summary.kernels, joint.out().iterations[i].summary.kernels);
  }
  for (const record::RequestSummary& whole : joint.out().requests) {
    const record::RequestSummary* sent = frontend.out().Find(whole.req);
    const record::RequestSummary* computed = engine.out().Find(whole.req);
    ASSERT_NE(sent, nullptr);
    ASSERT_NE(computed, nullptr);
    EXPECT_EQ(sent->ttft_ns, whole.ttft_ns);
    EXPECT_EQ(sent->tokens, whole.tokens);
    EXPECT_EQ(sent->flags & record::kSawIterations, 0);
    EXPECT_FALSE(computed->has_ttft);  // it never saw the arrival
    EXPECT_EQ(computed->flags & record::kSawArrival, 0);
    EXPECT_EQ(computed->gpu_share_ns, whole.gpu_share_ns);
    EXPECT_EQ(computed->tokens, whole.tokens);
    uint64_t sum = 0;
    for (const uint64_t ns : sent->ttft_phases) sum += ns;
    EXPECT_EQ(sum, sent->ttft_ns);
  }
}

}  // namespace
}  // namespace slowtoken::attribution::testing
