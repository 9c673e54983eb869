#include "analysis/trace_analysis.h"

#include <gtest/gtest.h>

#include "joined_run.h"

namespace slowtoken::analysis {
namespace {

using record::ApiClass;
using testing::CopyAt;
using testing::KernelAt;
using testing::LaunchCall;

class TraceAnalysisTest : public ::testing::Test {
 protected:
  testing::TestDictionary dictionary_;
  testing::JoinedRun run_{*dictionary_};
  TraceAnalysis& analysis_ = run_.analysis();
};

TEST_F(TraceAnalysisTest, AnEmptyTraceHasNothing) {
  run_.Finish();
  EXPECT_EQ(analysis_.counts().kernels, 0u);
  EXPECT_EQ(analysis_.launch_stats().launches(), 0u);
  EXPECT_TRUE(analysis_.devices().all().empty());
  EXPECT_TRUE(analysis_.kernels().Entries().empty());
  EXPECT_EQ(analysis_.facts().WallNs(), 0u);
}

TEST_F(TraceAnalysisTest, KernelsAreSummedByNameAcrossShapes) {
  record::KernelShape wide;
  wide.name = dictionary_->InternText("_Z4gemmPf");
  wide.grid[0] = 8;
  const record::ShapeId a = dictionary_.Shape("_Z4gemmPf");
  const record::ShapeId b = dictionary_->InternShape(wide);
  const record::ShapeId c = dictionary_.Shape("rms_norm");
  const record::LaneId lane = dictionary_.Lane(7);
  run_.On(KernelAt(1, 1000, 1100, a, lane));
  run_.On(KernelAt(2, 1200, 1500, b, lane));
  run_.On(KernelAt(3, 1600, 1650, c, lane));
  run_.Finish();
  const auto entries = analysis_.kernels().Entries();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].name, "gemm(float*)");
  EXPECT_STREQ(entries[0].category, "gemm");
  EXPECT_EQ(entries[0].count, 2u);
  EXPECT_EQ(entries[0].total_ns, 400u);
  EXPECT_EQ(entries[0].p50_ns, 100u);
  EXPECT_EQ(entries[0].max_ns, 300u);
  EXPECT_EQ(entries[1].name, "rms_norm");
}

TEST_F(TraceAnalysisTest, GraphReplaysAtLaunchLevelAreGpuWorkOfOneLaunch) {
  record::GraphLaunch replay;
  replay.start = 2000;
  replay.end = 5000;
  replay.graph_id = 3;
  replay.correlation = 9;
  replay.lane = dictionary_.Lane(7);
  run_.On(replay);
  run_.On(LaunchCall(9, 1000, 1500, ApiClass::kGraphLaunch));
  run_.Finish();
  EXPECT_EQ(analysis_.counts().graph_replays, 1u);
  EXPECT_EQ(analysis_.launch_stats().matched(), 1u);
  EXPECT_EQ(analysis_.launch_stats().graph_launches(), 1u);
  EXPECT_EQ(analysis_.graph_nodes().missing(), 0u) << "nothing is known of the inside";
  EXPECT_EQ(analysis_.devices().all()[0].timeline.busy_ns(), 3000u);
}

TEST_F(TraceAnalysisTest, BugLog83_85_HostileTimesAreCountedNotSummed) {
  const record::ShapeId shape = dictionary_.Shape("k");
  const record::LaneId lane = dictionary_.Lane(7);
  const TimeNs hostile[] = {0, (uint64_t{1} << 63) - 1, uint64_t{1} << 63, ~uint64_t{0}};
  uint32_t id = 1;
  for (const TimeNs time : hostile) {
    run_.On(KernelAt(id++, time, 2000, shape, lane));
    run_.On(KernelAt(id++, 1000, time, shape, lane));
    run_.On(CopyAt(id++, time, time, lane));
  }
  run_.On(KernelAt(id++, 1000, 999, shape, lane));
  run_.On(KernelAt(id++, 2'000'000'000, 1'000'000'000, shape, lane));
  run_.On(KernelAt(id++, 1000, 1500, shape, lane));
  record::Advance end;
  end.watermark = ~uint64_t{0};
  run_.On(end);
  run_.Finish();
  EXPECT_EQ(analysis_.counts().kernels, 11u);
  EXPECT_EQ(analysis_.counts().untimed, 14u);
  EXPECT_EQ(analysis_.kernels().Entries()[0].total_ns, 500u);
  EXPECT_EQ(analysis_.devices().all()[0].timeline.busy_ns(), 500u);
  EXPECT_EQ(analysis_.facts().last_time(), 0u);
}

TEST(OwnShare, IsOfTheTimeSinceTheProcessBeganToRecord) {
  constexpr TimeNs kStart = 1'000'000'000, kSecond = 1'000'000'000;
  record::OwnCost cost;
  cost.worker_cpu_ns = 30'000'000;
  cost.callback_ns = 20'000'000;
  cost.cupti_overhead_ns = 900'000'000;
  cost.time = kStart + 5 * kSecond;
  EXPECT_DOUBLE_EQ(OwnShare(cost, kStart).value_or(0), 0.01) << "CUPTI's own cost is apart";
  EXPECT_FALSE(OwnShare(cost, cost.time)) << "no time has passed";
  EXPECT_FALSE(OwnShare(cost, cost.time - kSecond / 2)) << "the start alone is no share";
  EXPECT_FALSE(OwnShare(cost, cost.time + kSecond));
}

TEST_F(TraceAnalysisTest, LossesAndCostsAreTheNewestTotalsOfEachProcess) {
  record::LossTotals losses;
  losses.counts[static_cast<size_t>(base::Loss::kCuptiDropped)] = 5;
  run_.On(losses);
  losses.counts[static_cast<size_t>(base::Loss::kCuptiDropped)] = 7;
  run_.On(losses);
  losses.process = 1;
  losses.counts[static_cast<size_t>(base::Loss::kCuptiDropped)] = 100;
  run_.On(losses);
  record::OwnCost cost;
  cost.worker_cpu_ns = 10;
  cost.callback_ns = 1;
  run_.On(cost);
  cost.worker_cpu_ns = 30;
  cost.callback_ns = 2;
  cost.flush_cpu_ns = 12;
  cost.cupti_overhead_ns = 5;
  run_.On(cost);
  EXPECT_EQ(analysis_.facts().Lost(base::Loss::kCuptiDropped), 107u);
  EXPECT_EQ(analysis_.facts().Lost(base::Loss::kNamesFull), 0u);
  EXPECT_EQ(analysis_.facts().WorkerCpuNs(), 30u);
  EXPECT_EQ(analysis_.facts().CallbackNs(), 2u);
  EXPECT_EQ(analysis_.facts().FlushCpuNs(), 12u);
  EXPECT_EQ(analysis_.facts().CuptiOverheadNs(), 5u);
}

// A long trace, chunk by chunk, with the kernels of a chunk before its calls: every idle interval finds its launch.
TEST_F(TraceAnalysisTest, TheIdleTimeOfALongTraceIsWhollyExplained) {
  const record::ShapeId shape = dictionary_.Shape("k");
  const record::LaneId lane = dictionary_.Lane(7);
  constexpr uint32_t kChunks = 40, kPerChunk = 6'000;
  uint64_t host = 0, dependency = 0;
  for (uint32_t chunk = 0; chunk < kChunks; ++chunk) {
    const uint32_t first = chunk * kPerChunk + 1;
    for (uint32_t id = first; id < first + kPerChunk; ++id) {
      const TimeNs at = TimeNs{id} * 10'000;
      run_.On(testing::KernelAt(id, at, at + 7'000, shape, lane));
      if (id > 1) (id % 3 == 0 ? dependency : host) += 3'000;
    }
    for (uint32_t id = first; id < first + kPerChunk; ++id) {
      const TimeNs at = TimeNs{id} * 10'000 - (id % 3 == 0 ? 5'000 : 1'000);
      run_.On(testing::LaunchCall(id, at - 500, at));
    }
    record::Advance advance;
    advance.watermark = TimeNs{first + kPerChunk} * 10'000;
    run_.On(advance);
  }
  run_.Finish();
  ASSERT_EQ(analysis_.devices().all().size(), 1u);
  const DeviceTimeline& device = analysis_.devices().all()[0].timeline;
  EXPECT_EQ(device.idle_by(),
            (IdleBy{.host = host, .dependency = dependency, .copy = 0, .no_work = std::nullopt, .unknown = 0}));
  EXPECT_EQ(device.idle_ns(), host + dependency);
}

TEST_F(TraceAnalysisTest, BlindTimeRunsFromTheLossToTheReturnOrTheEnd) {
  const auto status = [](record::SourceState state, record::BlindReason reason, TimeNs time) {
    record::SourceStatus s;
    s.state = state;
    s.reason = reason;
    s.time = time;
    return s;
  };
  const auto advance = [](TimeNs watermark) {
    record::Advance a;
    a.watermark = watermark;
    return a;
  };
  run_.On(advance(500));
  using record::BlindReason;
  using record::SourceState;
  run_.On(status(SourceState::kActive, BlindReason::kNone, 600));
  run_.On(status(SourceState::kLost, BlindReason::kBuffersTaken, 1000));
  run_.On(status(SourceState::kLost, BlindReason::kBuffersTaken, 1200));  // said again: the same interval
  run_.On(status(SourceState::kFailed, BlindReason::kNone, 1500));        // not active: it goes on
  run_.On(status(SourceState::kLost, BlindReason::kTornDown, 1700));      // for another reason
  run_.On(status(SourceState::kActive, BlindReason::kNone, 1800));
  run_.On(status(SourceState::kPaused, BlindReason::kPaused, 3000));
  run_.On(advance(5000));
  const auto by = analysis_.facts().BlindBy();
  EXPECT_EQ(by[static_cast<size_t>(BlindReason::kNone)], 0u);
  EXPECT_EQ(by[static_cast<size_t>(BlindReason::kBuffersTaken)], 700u);
  EXPECT_EQ(by[static_cast<size_t>(BlindReason::kTornDown)], 100u);
  EXPECT_EQ(by[static_cast<size_t>(BlindReason::kPaused)], 2000u);
  EXPECT_EQ(analysis_.facts().BlindNs(), 2800u);
  EXPECT_EQ(analysis_.facts().WallNs(), 4500u);
  ASSERT_EQ(analysis_.facts().Sources().size(), 1u);
  EXPECT_STREQ(SourceStateName(analysis_.facts().Sources()[0].state), "paused");
}

TEST_F(TraceAnalysisTest, WhatDoesNotParseIsKeptByShape) {
  run_.On(record::NvtxDomainInfo{.domain = 3, .name = dictionary_->InternText("llmserve"), .process = 0});
  record::NvtxMark mark;
  mark.domain = 3;
  mark.message = dictionary_->InternText("req.token|req=,n=?");
  run_.On(mark);
  run_.On(mark);
  mark.domain = 4;  // the engine's own
  run_.On(mark);
  mark.domain = 0;
  run_.On(mark);
  mark.message = dictionary_->InternText("llmserve/bogus");
  run_.On(mark);
  record::NvtxRange range;
  range.domain = 3;
  range.message = dictionary_->InternText("iter|?");
  run_.On(range);  // still open: it comes again
  range.end = 5;
  run_.On(range);
  const std::map<std::string, uint64_t> expected = {{"iter|?", 1}, {"llmserve/bogus", 1}, {"req.token|req=,n=?", 2}};
  EXPECT_EQ(analysis_.malformed(), expected);
  for (int i = 0; i < 100; ++i) {
    mark.message = dictionary_->InternText("llmserve/bogus" + std::to_string(i));
    run_.On(mark);
  }
  EXPECT_EQ(analysis_.malformed().size(), 8u);
}

TEST_F(TraceAnalysisTest, ClearRequestIdsAreKeptAndMadeSafe) {
  record::RequestIdText text;
  text.req = 42;
  text.text = "req\x01-1";
  run_.On(text);
  EXPECT_EQ(analysis_.request_texts().Of(42), "req\xEF\xBF\xBD-1");
}

}  // namespace
}  // namespace slowtoken::analysis
