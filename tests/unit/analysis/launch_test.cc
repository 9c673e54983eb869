#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "../analysis/events.h"
#include "analysis/graph_nodes.h"
#include "analysis/launch_stats.h"
#include "analysis/launch_table.h"

namespace slowtoken::analysis {
namespace {

using record::ApiClass;
using testing::LaunchCall;

struct Joined {
  LaunchStats stats;
  GraphNodes nodes;
  LaunchTable table{[this](record::ProcessIndex process, const Launch& launch) {
    stats.Add(launch);
    nodes.AddLaunch(process, launch);
  }};
};

TEST(LaunchTable, DelayIsKernelStartMinusCallEndWhereThatIsPositive) {
  Joined joined;
  joined.table.AddCall(LaunchCall(1, 1000, 1400));
  joined.table.AddGpuWork(0, 1, 0, 1900, 2900);  // 500 ns later
  joined.table.AddCall(LaunchCall(2, 2000, 2400));
  joined.table.AddGpuWork(0, 2, 0, 2300, 2500);  // before the call returned
  joined.table.Finish();
  EXPECT_EQ(joined.stats.launches(), 2u);
  EXPECT_EQ(joined.stats.matched(), 2u);
  EXPECT_EQ(joined.stats.delayed(), 1u);
  EXPECT_EQ(joined.stats.early(), 1u);
  EXPECT_EQ(joined.stats.delay().sum(), 500u);
  EXPECT_EQ(joined.stats.api().sum(), 800u);
  EXPECT_EQ(joined.stats.total().sum(), 1900u + 500u);
}

TEST(LaunchTable, ARuntimeCallAndTheDriverCallInsideAreOneLaunch) {
  Joined joined;
  record::ApiCall driver = LaunchCall(7, 1100, 1300);
  driver.domain = record::ApiDomain::kDriver;
  joined.table.AddCall(driver);
  joined.table.AddCall(LaunchCall(7, 1000, 1400));
  joined.table.Finish();
  EXPECT_EQ(joined.stats.launches(), 1u);
  EXPECT_EQ(joined.stats.api().sum(), 400u);
  EXPECT_EQ(joined.stats.matched(), 0u);
}

TEST(LaunchTable, CapturedAndFailedCallsAreNoLaunches) {
  Joined joined;
  record::ApiCall captured = LaunchCall(1, 1000, 1100);
  captured.captured = true;
  joined.table.AddCall(captured);
  record::ApiCall failed = LaunchCall(2, 1000, 1100);
  failed.return_value = 700;
  joined.table.AddCall(failed);
  joined.table.AddCall(LaunchCall(3, 1000, 1100, ApiClass::kSynchronize));
  joined.table.AddCall(LaunchCall(4, 1000, 1100, ApiClass::kMemcpy));
  joined.table.Finish();
  EXPECT_EQ(joined.stats.launches(), 0u);
  EXPECT_EQ(joined.stats.captured(), 1u);
  EXPECT_EQ(joined.stats.failed(), 1u);
}

TEST(LaunchTable, BugLog120_CorrelationIdsOfTwoProcessesNeverMeet) {
  Joined joined;
  joined.table.AddCall(LaunchCall(5, 1000, 1100, ApiClass::kKernelLaunch, 0));
  joined.table.AddGpuWork(1, 5, 0, 2000, 2100);
  joined.table.Finish();
  EXPECT_EQ(joined.stats.matched(), 0u);
  EXPECT_EQ(joined.stats.without_call(), 1u);
}

TEST(LaunchTable, CorrelationIdZeroIsNeverJoined) {
  Joined joined;
  joined.table.AddCall(LaunchCall(0, 1000, 1100));
  joined.table.AddGpuWork(0, 0, 0, 2000, 2100);
  joined.table.Finish();
  EXPECT_EQ(joined.stats.launches(), 0u);
  EXPECT_EQ(joined.stats.matched(), 0u);
}

// Far more launches than slots of the first ring, GPU records a whole window late and shuffled.
TEST(LaunchTable, ManyLateShuffledRecordsAllFindTheirLaunch) {
  Joined joined;
  std::mt19937 random(3);
  constexpr uint32_t kCount = 100'000, kWindow = 20'000;
  std::vector<uint32_t> window;
  for (uint32_t id = 1; id <= kCount; ++id) {
    joined.table.AddCall(LaunchCall(id, id * 10, id * 10 + 4));
    window.push_back(id);
    if (window.size() == kWindow) {
      std::shuffle(window.begin(), window.end(), random);
      for (const uint32_t done : window) joined.table.AddGpuWork(0, done, 0, done * 10 + 5, done * 10 + 9);
      window.clear();
    }
  }
  joined.table.Finish();
  EXPECT_EQ(joined.stats.launches(), kCount);
  EXPECT_EQ(joined.stats.matched(), kCount);
  EXPECT_EQ(joined.stats.delayed(), kCount);
  EXPECT_EQ(joined.stats.delay().sum(), kCount);
  EXPECT_EQ(joined.table.orphans(), 0u);
}

TEST(LaunchTable, FinishedLaunchesStayUntilTheAdvanceAfterTheirLastRecord) {
  Joined joined;
  constexpr uint32_t kChunk = 10'000;  // more than the slots of the first ring
  for (uint32_t id = 1; id <= kChunk; ++id) {
    joined.table.AddGpuWork(0, id, 0, id * 10 + 5, id * 10 + 9);
    joined.table.AddCall(LaunchCall(id, id * 10, id * 10 + 4));
  }
  for (uint32_t id = 1; id <= kChunk; ++id) ASSERT_EQ(joined.table.CallEnd(0, id), id * 10 + 4) << id;
  joined.table.Advance(0);
  for (uint32_t id = kChunk + 1; id <= 10 * kChunk; ++id) {
    joined.table.AddCall(LaunchCall(id, id * 10, id * 10 + 4));
    joined.table.AddGpuWork(0, id, 0, id * 10 + 5, id * 10 + 9);
    if (id % kChunk == 0) joined.table.Advance(0);
  }
  EXPECT_EQ(joined.table.CallEnd(0, 1), 0u) << "it has left, so the table does not grow with the trace";
  EXPECT_EQ(joined.stats.launches() + 16'384, 10u * kChunk) << "the ring holds one chunk, and all others are counted";
}

TEST(LaunchTable, IdsThatWrapStayApart) {
  Joined joined;
  uint32_t id = 0xFFFFFFFFu - 5000;
  for (int i = 0; i < 10'000; ++i, ++id) {
    if (id == 0) continue;
    joined.table.AddCall(LaunchCall(id, 1000, 1100));
    joined.table.AddGpuWork(0, id, 0, 1200, 1300);
  }
  joined.table.Finish();
  EXPECT_EQ(joined.stats.launches(), 9999u);
  EXPECT_EQ(joined.stats.matched(), 9999u);
}

TEST(LaunchTable, BugLog83_HostileTimesJoinButAreNotSummed) {
  Joined joined;
  const TimeNs hostile[] = {0, 1, (uint64_t{1} << 63) - 1, uint64_t{1} << 63, ~uint64_t{0}};
  uint32_t id = 1;
  for (const TimeNs start : hostile) {
    for (const TimeNs end : hostile) {
      joined.table.AddCall(LaunchCall(id, start, end));
      joined.table.AddGpuWork(0, id++, 0, start, end);
    }
  }
  joined.table.Finish();
  EXPECT_EQ(joined.stats.launches(), 25u);
  EXPECT_EQ(joined.stats.matched(), 25u);
  EXPECT_EQ(joined.stats.api().count(), 1u) << "only [1, 1] can be true";
  EXPECT_EQ(joined.stats.api().sum(), 0u);
}

void Replay(Joined& joined, uint32_t correlation, uint32_t nodes, double keep, std::mt19937& random) {
  std::uniform_real_distribution<double> chance(0, 1);
  joined.table.AddCall(LaunchCall(correlation, correlation * 1000, correlation * 1000 + 10, ApiClass::kGraphLaunch));
  for (uint32_t node = 1; node <= nodes; ++node) {
    if (chance(random) >= keep) continue;
    joined.nodes.AddRecord(0, 9, correlation, (uint64_t{9} << 32) + node);
    joined.table.AddGpuWork(0, correlation, 9, correlation * 1000 + 20, correlation * 1000 + 30);
  }
}

TEST(GraphNodes, WholeReplaysLackNothing) {
  Joined joined;
  std::mt19937 random(1);
  for (uint32_t i = 1; i <= 100; ++i) Replay(joined, i, 40, 1.0, random);
  joined.table.Finish();
  EXPECT_EQ(joined.nodes.expected(), 4000u);
  EXPECT_EQ(joined.nodes.missing(), 0u);
  EXPECT_EQ(joined.stats.graph_launches(), 100u);
}

TEST(GraphNodes, BugLog38_NineteenOfTwentyReplayRecordsLostAreMissed) {
  Joined joined;
  std::mt19937 random(1);
  for (uint32_t i = 1; i <= 400; ++i) Replay(joined, i, 40, 0.05, random);
  joined.table.Finish();
  EXPECT_GT(joined.nodes.missing(), joined.nodes.expected() * 9 / 10);
}

}  // namespace
}  // namespace slowtoken::analysis
