// The counters are the summaries, added up; what was not recorded has none.
#include <gmock/gmock.h>

#include "workload.h"

namespace slowtoken::attribution::testing {
namespace {

using record::Counter;

void PlayAndCount(Bench& bench, Scene& scene) {
  scene.Play();
  bench.engine().EmitCounters();
}

TEST(Counters, AreTheSummariesAddedUp) {
  Bench bench;
  const WorkloadOptions workload{
      .seed = 3, .requests = 40, .graphs = GraphUse::kNodes, .abort = 0.2, .speculate = 0.3, .dummy = 0.1};
  Deliver(MakeWorkload(workload, bench), {}, bench);
  bench.engine().EmitCounters();
  const SummaryLog& out = bench.out();
  std::array<uint64_t, 6> finish{};
  uint64_t prompt = 0, cached = 0, generated = 0;
  for (const record::RequestSummary& request : out.requests) {
    ++finish[static_cast<size_t>(request.finish)];
    prompt += request.prompt;
    cached += request.cached;
    generated += request.tokens;
  }
  std::array<uint64_t, record::kStallCauseCount> stalls_by{};
  for (const record::GapSummary& gap : out.gaps) {
    if (gap.is_stall) ++stalls_by[static_cast<size_t>(gap.finding.cause)];
  }
  std::array<uint64_t, 5> kinds{};
  for (const auto& [iteration, rows] : out.iterations) {
    if (iteration.dummy) {
      ++kinds[4];
      continue;
    }
    ++kinds[iteration.piecewise ? 1 : iteration.graph ? 0 : 2];
    if (iteration.prefill_rows != 0 && iteration.decode_rows != 0) ++kinds[3];
  }
  for (uint32_t i = 0; i < finish.size(); ++i) EXPECT_EQ(out.Count(Counter::kRequests, i), finish[i]) << i;
  for (uint32_t i = 0; i < kinds.size(); ++i) EXPECT_EQ(out.Count(Counter::kIterations, i), kinds[i]) << i;
  EXPECT_GT(finish[3], 0u);
  EXPECT_GT(kinds[0], 0u);
  EXPECT_GT(kinds[4], 0u);
  EXPECT_EQ(out.Count(Counter::kTokens, 0), prompt);
  EXPECT_EQ(out.Count(Counter::kTokens, 1), cached);
  EXPECT_EQ(out.Count(Counter::kTokens, 2), generated);
  for (uint32_t i = 0; i < stalls_by.size(); ++i) EXPECT_EQ(out.Count(Counter::kStalls, i), stalls_by[i]) << i;
}

TEST(Counters, GeneratedTokensAreToldBeforeTheirRequestEnds) {
  Bench bench;
  Scene scene(bench);
  for (uint64_t n = 1; n <= 5; ++n) scene.Token(1, n, kBase + n * 10 * kMs);
  for (const LoggedEvent& event : scene.log()) event.DeliverTo(bench.engine());
  bench.Advance(kBase + 10 * kSecond);
  bench.engine().EmitCounters();
  EXPECT_TRUE(bench.out().requests.empty());
  EXPECT_EQ(bench.out().Count(Counter::kTokens, static_cast<uint32_t>(record::TokenKind::kGenerated)), 5u);
}

TEST(Counters, AProcessThatOnlyComputesCountsNoRequests) {
  Bench bench;
  Scene scene(bench);
  scene.Batch(1, kBase + kMs, true, {Row(1, 10, record::RowKind::kPrefill)});
  scene.Range(record::AnnotationName::kIter, 1, kBase, kBase + 3 * kMs);
  PlayAndCount(bench, scene);
  EXPECT_EQ(bench.out().requests.size(), 1u);
  EXPECT_FALSE(bench.out().Count(Counter::kRequests).has_value());
  EXPECT_EQ(bench.out().Count(Counter::kIterations, static_cast<uint32_t>(record::IterationKind::kEager)), 1u);
}

TEST(Counters, LaunchesWhoseWorkBeganAfterTheCall) {
  Bench bench;
  Scene scene(bench);
  scene.Launch(1, kBase, kBase + 10 * kUs);
  scene.Kernel(1, kBase + 50 * kUs, kBase + 60 * kUs);
  scene.Launch(2, kBase + 100 * kUs, kBase + 200 * kUs);
  scene.Kernel(2, kBase + 150 * kUs, kBase + 160 * kUs);
  PlayAndCount(bench, scene);
  EXPECT_EQ(bench.out().Count(Counter::kLaunchesDelayed), 1u);
  EXPECT_EQ(bench.out().Count(Counter::kGpuBusyNs, 0), 20 * kUs);
  EXPECT_EQ(bench.out().Count(Counter::kGpuIdleNs, 0, static_cast<uint32_t>(record::IdleReason::kHost)), 90 * kUs);
}

TEST(Counters, WhatCannotBeToldIsAbsentNotZero) {
  Bench bench;
  Scene scene(bench);
  scene.Kernel(7, kBase, kBase + 10 * kUs);  // its launch was not recorded, and no request was
  scene.Kernel(8, kBase + 20 * kUs, kBase + 30 * kUs);
  PlayAndCount(bench, scene);
  const SummaryLog& out = bench.out();
  EXPECT_EQ(out.Count(Counter::kGpuBusyNs), 20 * kUs);
  EXPECT_EQ(out.Count(Counter::kGpuIdleNs, 0, static_cast<uint32_t>(record::IdleReason::kCopy)), 0u);
  for (const record::IdleReason reason :
       {record::IdleReason::kHost, record::IdleReason::kDependency, record::IdleReason::kNoWork}) {
    EXPECT_FALSE(out.Count(Counter::kGpuIdleNs, 0, static_cast<uint32_t>(reason)).has_value());
  }
  EXPECT_FALSE(out.Count(Counter::kRequests).has_value());
  EXPECT_FALSE(out.Count(Counter::kIterations).has_value());
  EXPECT_FALSE(out.Count(Counter::kStalls).has_value());
  EXPECT_FALSE(out.Count(Counter::kSlowFirstTokens).has_value());
  EXPECT_FALSE(out.Count(Counter::kLaunchesDelayed).has_value());
}

TEST(Counters, BlindTimeByReasonGrowsWhileItLasts) {
  Bench bench;
  const auto tell = [&](record::SourceState state, record::BlindReason reason, record::TimeNs time) {
    bench.engine().On(record::SourceStatus{.state = state, .reason = reason, .time = time});
  };
  tell(record::SourceState::kPaused, record::BlindReason::kPaused, kBase);
  tell(record::SourceState::kActive, record::BlindReason::kNone, kBase + kSecond);
  tell(record::SourceState::kLost, record::BlindReason::kTornDown, kBase + 5 * kSecond);
  bench.Advance(kBase + 7 * kSecond);
  bench.engine().EmitCounters();
  const auto blind = [&](record::BlindReason reason) {
    return bench.out().Count(Counter::kBlindNs, static_cast<uint32_t>(reason));
  };
  EXPECT_EQ(blind(record::BlindReason::kPaused), kSecond);
  EXPECT_EQ(blind(record::BlindReason::kTornDown), 2 * kSecond);
  EXPECT_FALSE(blind(record::BlindReason::kOtherTool).has_value());
  bench.Advance(kBase + 9 * kSecond);
  bench.engine().EmitCounters();
  EXPECT_EQ(blind(record::BlindReason::kTornDown), 4 * kSecond);
}

uint64_t SlowFirstTokens(Bench& bench) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < record::kCauseCount; ++i) {
    sum += bench.out().Count(Counter::kSlowFirstTokens, i).value_or(0);
  }
  return sum;
}

TEST(Counters, AFirstTokenIsSlowWhereAServiceLevelSaysSo) {
  EngineConfig config = SmallConfig();
  config.slo_ttft_ns = 2500 * kUs;  // PlainRequest's first token comes after 2,800 µs
  Bench strict(config);
  Scene scene(strict);
  PlainRequest(scene, kBase);
  PlayAndCount(strict, scene);
  EXPECT_EQ(SlowFirstTokens(strict), 1u);
  config.slo_ttft_ns = 2900 * kUs;
  Bench lax(config);
  Scene again(lax);
  PlainRequest(again, kBase);
  PlayAndCount(lax, again);
  EXPECT_EQ(SlowFirstTokens(lax), 0u);
}

}  // namespace
}  // namespace slowtoken::attribution::testing
