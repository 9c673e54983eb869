// Which gaps are stalls, and which phase is to blame.
#include <gmock/gmock.h>

#include "attribution/first_token_rule.h"
#include "attribution/stall_rule.h"
#include "scene.h"

namespace slowtoken::attribution::testing {
namespace {

using record::GapPhase;

class StallTest : public ::testing::Test {
 protected:
  explicit StallTest(uint64_t slo = 0) {
    EngineConfig config;
    config.slo_itl_ns = slo;
    EXPECT_TRUE(arena_.Reserve(1 << 20, false));
    EXPECT_TRUE(rule_.Init(arena_, config));
  }
  ~StallTest() override { arena_.Release(); }
  static record::GapSummary Gap(uint64_t busy, uint64_t transport) {
    record::GapSummary gap;
    gap.phases[static_cast<size_t>(GapPhase::kGpuBusy)] = busy;
    gap.phases[static_cast<size_t>(GapPhase::kTransport)] = transport;
    gap.gap_ns = busy + transport;
    return gap;
  }
  record::GapSummary Judged(uint64_t busy, uint64_t transport) {
    record::GapSummary gap = Gap(busy, transport);
    rule_.Judge(&gap);
    return gap;
  }

  base::Arena arena_;
  StallRule rule_;
};

class StallSloTest : public StallTest {
 protected:
  StallSloTest() : StallTest(3 * kMs) {}
};

TEST_F(StallTest, WithFewerThanEightSamplesAboveFiveMilliseconds) {
  for (int i = 0; i < 7; ++i) rule_.Learn(Gap(20 * kMs, 0));
  EXPECT_FALSE(Judged(5 * kMs, 0).is_stall);
  EXPECT_TRUE(Judged(5 * kMs + 1, 0).is_stall);
}

TEST_F(StallTest, AStallByTheThresholdForFewSamplesSaysSo) {
  for (int i = 0; i < 7; ++i) rule_.Learn(Gap(kMs, 0));
  EXPECT_NE(Judged(6 * kMs, 0).flags & record::kFewSamples, 0);
  EXPECT_EQ(Judged(kMs, 0).flags & record::kFewSamples, 0) << "no stall";
  rule_.Learn(Gap(kMs, 0));
  EXPECT_EQ(Judged(6 * kMs, 0).flags & record::kFewSamples, 0) << "now a median is known";
}

TEST_F(StallTest, ThenAboveTwoAndAHalfMedians) {
  for (int i = 0; i < 8; ++i) rule_.Learn(Gap(20 * kMs, 0));
  EXPECT_FALSE(Judged(49 * kMs, 0).is_stall);
  EXPECT_TRUE(Judged(51 * kMs, 0).is_stall);
}

TEST_F(StallTest, NeverBelowFiveMilliseconds) {
  for (int i = 0; i < 100; ++i) rule_.Learn(Gap(kMs, 0));
  EXPECT_FALSE(Judged(5 * kMs, 0).is_stall);
  EXPECT_TRUE(Judged(5 * kMs + 1, 0).is_stall);
}

TEST_F(StallTest, BlameGoesToTheLargestExcessNotTheLargestPhase) {
  for (int i = 0; i < 20; ++i) rule_.Learn(Gap(20 * kMs, 0));
  const record::GapSummary gap = Judged(31 * kMs, 25 * kMs);  // 11 ms more work than usual, 25 ms more transport
  EXPECT_TRUE(gap.is_stall);
  EXPECT_EQ(gap.largest_phase, GapPhase::kTransport);
  EXPECT_EQ(gap.excess_ns, 25 * kMs);
}

TEST_F(StallTest, JudgingTeachesNothing) {
  for (int i = 0; i < 8; ++i) rule_.Learn(Gap(20 * kMs, 0));
  const uint64_t before = rule_.threshold();
  for (int i = 0; i < 100; ++i) Judged(500 * kMs, 0);
  EXPECT_EQ(rule_.threshold(), before);
}

TEST_F(StallSloTest, TheServiceLevelDecidesWhereOneIsGiven) {
  for (int i = 0; i < 100; ++i) rule_.Learn(Gap(20 * kMs, 0));
  EXPECT_FALSE(Judged(3 * kMs, 0).is_stall);
  EXPECT_TRUE(Judged(3 * kMs + 1, 0).is_stall);
}

TEST_F(StallSloTest, AServiceLevelNeedsNoSamples) {
  EXPECT_TRUE(Judged(3 * kMs + 1, 0).is_stall);
  EXPECT_EQ(Judged(3 * kMs + 1, 0).flags & record::kFewSamples, 0);
}

TEST_F(StallSloTest, AGapThatIsAsUsualButOverTheLevelNamesItsLongestPhase) {
  for (int i = 0; i < 100; ++i) rule_.Learn(Gap(20 * kMs, 0));
  const record::GapSummary gap = Judged(20 * kMs, 0);
  EXPECT_EQ(gap.largest_phase, GapPhase::kGpuBusy);
  EXPECT_GT(gap.excess_ns, 0u);
  EXPECT_LE(gap.excess_ns, 17 * kMs) << "over the level of 3 ms";
}

TEST(Stall, EngineMarksTheSlowGap) {
  Bench bench;
  Scene scene(bench);
  scene.Req(1, 100 * kSecond, 110 * kSecond);
  record::TimeNs at = 100 * kSecond;
  for (uint64_t n = 1; n <= 30; ++n) {
    at += n == 25 ? 90 * kMs : 4 * kMs;
    scene.Token(1, n, at);
    scene.Send(1, n, at + (n == 20 ? 70 * kMs : 0), at + kUs + (n == 20 ? 70 * kMs : 0), 1);
  }
  scene.Play();
  std::vector<std::pair<uint32_t, GapPhase>> stalls;
  for (const record::GapSummary& gap : bench.out().GapsOf(1)) {
    if (gap.is_stall) stalls.emplace_back(gap.n, gap.largest_phase);
  }
  EXPECT_THAT(stalls,
              ::testing::ElementsAre(std::pair(20u, GapPhase::kTransport), std::pair(25u, GapPhase::kUnattributed)));
}

TEST(FirstTokenRule, OneThatIsSlowByTheThresholdForFewSamplesSaysSo) {
  base::Arena arena;
  FirstTokenRule rule;
  ASSERT_TRUE(arena.Reserve(4 << 20, false));
  ASSERT_TRUE(rule.Init(arena, {}));
  record::RequestSummary usual;
  usual.has_ttft = true;
  usual.ttft_ns = 10 * kMs;
  usual.prompt = 100;
  const auto judged = [&](uint64_t ttft_ns) {
    record::RequestSummary request = usual;
    request.ttft_ns = ttft_ns;
    rule.Judge(&request);
    return request;
  };
  for (int i = 0; i < 7; ++i) rule.Learn(usual);
  EXPECT_FALSE(judged(900 * kMs).is_slow);
  EXPECT_NE(judged(1100 * kMs).flags & record::kFewSamples, 0);
  rule.Learn(usual);
  EXPECT_TRUE(judged(900 * kMs).is_slow);
  EXPECT_EQ(judged(1100 * kMs).flags & record::kFewSamples, 0) << "now a median is known";
  arena.Release();
}

}  // namespace
}  // namespace slowtoken::attribution::testing
