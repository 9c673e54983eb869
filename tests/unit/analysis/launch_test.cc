#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analysis/graph_nodes.h"
#include "joined_run.h"

namespace slowtoken::analysis {
namespace {

using record::ApiClass;
using testing::LaunchCall;

// Launches and their GPU work on one stream, joined.
class Joined {
 public:
  void Call(const record::ApiCall& call) { run_.On(call); }
  void Work(record::ProcessIndex process, uint32_t correlation, TimeNs start, TimeNs end) {
    run_.On(testing::KernelAt(correlation, start, end, shape_, dictionary_.Lane(7, process), process));
  }
  void Finish() { run_.Finish(); }
  const LaunchStats& stats() { return run_.analysis().launch_stats(); }
  uint64_t without_call() const { return run_.losses().Get(base::Loss::kGpuWithoutCall); }

 private:
  testing::TestDictionary dictionary_;
  record::ShapeId shape_ = dictionary_.Shape("k");
  testing::JoinedRun run_{*dictionary_, 2};
};

TEST(Launches, DelayIsKernelStartMinusCallEndWhereThatIsPositive) {
  Joined joined;
  joined.Call(LaunchCall(1, 1000, 1400));
  joined.Work(0, 1, 1900, 2900);  // 500 ns later
  joined.Call(LaunchCall(2, 2000, 2400));
  joined.Work(0, 2, 2300, 2500);  // before the call returned
  joined.Finish();
  EXPECT_EQ(joined.stats().launches(), 2u);
  EXPECT_EQ(joined.stats().matched(), 2u);
  EXPECT_EQ(joined.stats().delayed(), 1u);
  EXPECT_EQ(joined.stats().early(), 1u);
  EXPECT_EQ(joined.stats().delay().sum(), 500u);
  EXPECT_EQ(joined.stats().api().sum(), 800u);
  EXPECT_EQ(joined.stats().total().sum(), 1900u + 500u);
}

TEST(Launches, ARuntimeCallAndTheDriverCallInsideAreOneLaunch) {
  Joined joined;
  record::ApiCall driver = LaunchCall(7, 1100, 1300);
  driver.domain = record::ApiDomain::kDriver;
  joined.Call(driver);
  joined.Call(LaunchCall(7, 1000, 1400));
  joined.Finish();
  EXPECT_EQ(joined.stats().launches(), 1u);
  EXPECT_EQ(joined.stats().api().sum(), 400u);
  EXPECT_EQ(joined.stats().matched(), 0u);
}

TEST(Launches, CapturedAndFailedCallsAreNoLaunches) {
  Joined joined;
  record::ApiCall captured = LaunchCall(1, 1000, 1100);
  captured.captured = true;
  joined.Call(captured);
  record::ApiCall failed = LaunchCall(2, 1000, 1100);
  failed.return_value = 700;
  joined.Call(failed);
  joined.Call(LaunchCall(3, 1000, 1100, ApiClass::kSynchronize));
  joined.Call(LaunchCall(4, 1000, 1100, ApiClass::kMemcpy));
  joined.Finish();
  EXPECT_EQ(joined.stats().launches(), 0u);
  EXPECT_EQ(joined.stats().captured(), 1u);
  EXPECT_EQ(joined.stats().failed(), 1u);
}

TEST(Launches, BugLog120_CorrelationIdsOfTwoProcessesNeverMeet) {
  Joined joined;
  joined.Call(LaunchCall(5, 1000, 1100, ApiClass::kKernelLaunch, 0));
  joined.Work(1, 5, 2000, 2100);
  joined.Finish();
  EXPECT_EQ(joined.stats().matched(), 0u);
  EXPECT_EQ(joined.without_call(), 1u);
}

TEST(Launches, CorrelationIdZeroIsNeverJoined) {
  Joined joined;
  joined.Call(LaunchCall(0, 1000, 1100));
  joined.Work(0, 0, 2000, 2100);
  joined.Finish();
  EXPECT_EQ(joined.stats().launches(), 0u);
  EXPECT_EQ(joined.stats().matched(), 0u);
}

// Far more launches than slots of the first ring, GPU records a whole window late and shuffled.
TEST(Launches, ManyLateShuffledRecordsAllFindTheirLaunch) {
  Joined joined;
  std::mt19937 random(3);
  constexpr uint32_t kCount = 100'000, kWindow = 20'000;
  std::vector<uint32_t> window;
  for (uint32_t id = 1; id <= kCount; ++id) {
    joined.Call(LaunchCall(id, id * 10, id * 10 + 4));
    window.push_back(id);
    if (window.size() == kWindow) {
      std::shuffle(window.begin(), window.end(), random);
      for (const uint32_t done : window) joined.Work(0, done, done * 10 + 5, done * 10 + 9);
      window.clear();
    }
  }
  joined.Finish();
  EXPECT_EQ(joined.stats().launches(), kCount);
  EXPECT_EQ(joined.stats().matched(), kCount);
  EXPECT_EQ(joined.stats().delayed(), kCount);
  EXPECT_EQ(joined.stats().delay().sum(), kCount);
  EXPECT_EQ(joined.without_call(), 0u);
}

TEST(Launches, IdsThatWrapStayApart) {
  Joined joined;
  uint32_t id = 0xFFFFFFFFu - 5000;
  for (int i = 0; i < 10'000; ++i, ++id) {
    if (id == 0) continue;
    joined.Call(LaunchCall(id, 1000, 1100));
    joined.Work(0, id, 1200, 1300);
  }
  joined.Finish();
  EXPECT_EQ(joined.stats().launches(), 9999u);
  EXPECT_EQ(joined.stats().matched(), 9999u);
}

TEST(Launches, BugLog83_HostileTimesJoinButAreNotSummed) {
  Joined joined;
  const TimeNs hostile[] = {0, 1, (uint64_t{1} << 63) - 1, uint64_t{1} << 63, ~uint64_t{0}};
  uint32_t id = 1;
  for (const TimeNs start : hostile) {
    for (const TimeNs end : hostile) {
      joined.Call(LaunchCall(id, start, end));
      joined.Work(0, id++, start, end);
    }
  }
  joined.Finish();
  EXPECT_EQ(joined.stats().launches(), 15u) << "a call that ends before it begins is none";
  EXPECT_EQ(joined.stats().matched(), 15u);
  EXPECT_EQ(joined.without_call(), 10u);
  EXPECT_EQ(joined.stats().api().count(), 1u) << "only [1, 1] can be true";
  EXPECT_EQ(joined.stats().api().sum(), 0u);
}

void Replay(GraphNodes& nodes, uint32_t correlation, uint32_t count, double keep, std::mt19937& random) {
  std::uniform_real_distribution<double> chance(0, 1);
  for (uint32_t node = 1; node <= count; ++node) {
    if (chance(random) < keep) nodes.Add(0, 9, correlation, (uint64_t{9} << 32) + node);
  }
}

TEST(GraphNodes, WholeReplaysLackNothing) {
  GraphNodes nodes;
  std::mt19937 random(1);
  for (uint32_t i = 1; i <= 100; ++i) Replay(nodes, i, 40, 1.0, random);
  EXPECT_EQ(nodes.expected(), 4000u);
  EXPECT_EQ(nodes.missing(), 0u);
}

TEST(GraphNodes, ReplaysWhoseRecordsComeMixedAreAsManyAsTheyAre) {
  GraphNodes nodes;
  for (uint32_t node = 1; node <= 40; ++node) {
    for (uint32_t replay = 1; replay <= 8; ++replay) nodes.Add(0, 9, replay, node);
  }
  EXPECT_EQ(nodes.expected(), 320u);
  EXPECT_EQ(nodes.missing(), 0u);
}

TEST(GraphNodes, BugLog38_NineteenOfTwentyReplayRecordsLostAreMissed) {
  GraphNodes nodes;
  std::mt19937 random(1);
  for (uint32_t i = 1; i <= 400; ++i) Replay(nodes, i, 40, 0.05, random);
  EXPECT_GT(nodes.missing(), nodes.expected() * 9 / 10);
}

}  // namespace
}  // namespace slowtoken::analysis
