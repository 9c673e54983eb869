// What a report says of itself: what was lost, missing, damaged or not seen.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/json.h"
#include "report/text.h"
#include "scenario.h"

namespace slowtoken::report {
namespace {

using nlohmann::json;
using testing::JsonText;
using testing::kAll;
using testing::Scenario;
using testing::Whole;

TEST(Coverage, BugLog35_ZeroKernelsThoughLaunchesWereSeenIsLoud) {
  const v1::Report report = Whole(kAll, false);
  ASSERT_GE(report.coverage().warnings_size(), 2);
  EXPECT_EQ(report.coverage().warnings(0),
            "NO KERNELS were recorded although 100 launches were seen: GPU figures are missing, not zero");
  EXPECT_EQ(report.coverage().warnings(1), "CUPTI: refused: another tool holds CUPTI; stop it and start again");
  EXPECT_FALSE(report.coverage().complete());
  const json parsed = json::parse(JsonText(report, kAll));
  EXPECT_EQ(parsed["coverage"]["kernels"], 0);
  EXPECT_EQ(parsed["coverage"]["missing"][0], "gpu_records");
  EXPECT_TRUE(parsed["devices"][0]["busy_ns"].is_null()) << "never an idle GPU";
  EXPECT_TRUE(parsed["devices"][0]["idle_ns"].is_null());
}

TEST(Coverage, BugLog38_IdleTimeIsNotToldWhenReplayRecordsAreMissing) {
  Scenario scenario(kAll);
  scenario.PlayEvents(true);
  const record::ShapeId shape = scenario.dictionary().Shape("node_kernel");
  const record::LaneId lane = scenario.dictionary().Lane(7, 1);
  for (uint32_t launch = 0; launch < 40; ++launch) {
    const record::TimeNs at = Scenario::kStart + 300'000'000 + launch * 1'000'000;
    scenario.events().On(testing::LaunchCall(1000 + launch, at, at + 10, record::ApiClass::kGraphLaunch, 1));
    record::Kernel node = testing::KernelAt(1000 + launch, at + 100, at + 200, shape, lane, 1);
    node.graph_id = 5;
    node.graph_node_id = 1 + launch % 20;  // one of twenty survives
    scenario.events().On(node);
  }
  const v1::Report report = scenario.Build();
  EXPECT_EQ(report.coverage().launches(), report.coverage().launches_matched()) << "each launch has a record";
  EXPECT_EQ(report.coverage().graph_nodes_missing(), 40u * 19);
  EXPECT_FALSE(report.coverage().complete());
  EXPECT_EQ(report.coverage().warnings(0), "INCOMPLETE: too many GPU records are missing to tell how busy the GPU was");
  const json parsed = json::parse(JsonText(report, kAll));
  EXPECT_TRUE(parsed["devices"][0]["idle_ns"].is_null());
  EXPECT_TRUE(parsed["devices"][0]["idle_by"].empty());
}

TEST(Coverage, EveryLossIsNamedAndExplained) {
  Scenario scenario({});
  scenario.PlayEvents(true);
  record::LossTotals losses;
  losses.counts[static_cast<size_t>(base::Loss::kNvtxRingFull)] = 12;
  scenario.events().On(losses);
  scenario.processes()[0].losses = {{"nvtx_ring_full", 12}, {"a_later_cause", 3}};
  scenario.reading().Add(base::Loss::kTokensEvicted, 4);
  const v1::Report report = scenario.Build();
  const json parsed = json::parse(JsonText(report, {}));
  EXPECT_EQ(parsed["coverage"]["dropped"]["nvtx_ring_full"], 12);
  EXPECT_EQ(parsed["coverage"]["dropped"]["a_later_cause"], 3);
  EXPECT_EQ(parsed["coverage"]["dropped"]["reading_tokens_evicted"], 4);
  EXPECT_FALSE(report.coverage().complete());
  EXPECT_NE(WriteText(report, {}, {}).find("dropped nvtx_ring_full 12: NVTX events dropped: no room left in the rings"),
            std::string::npos);
}

// The recorder's attribution counted them as well: they are the same records.
TEST(Coverage, AGpuRecordWithoutACallIsCountedOnce) {
  Scenario scenario({});
  scenario.PlayEvents(true);
  const record::TimeNs at = Scenario::kStart + 300'000'000;
  for (uint32_t orphan = 0; orphan < 3; ++orphan) {
    scenario.events().On(testing::KernelAt(7000 + orphan, at + orphan * 1'000, at + orphan * 1'000 + 500,
                                           scenario.dictionary().Shape("gemm"), scenario.dictionary().Lane(7, 1), 1));
  }
  record::LossTotals losses;
  losses.counts[static_cast<size_t>(base::Loss::kGpuWithoutCall)] = 3;
  losses.process = 1;
  scenario.events().On(losses);
  scenario.processes()[1].losses = {{"gpu_without_call", 3}};
  const v1::Report report = scenario.Build();
  EXPECT_EQ(report.coverage().without_call(), 3u);
  EXPECT_TRUE(report.coverage().dropped().empty());
  EXPECT_FALSE(report.coverage().complete());
  EXPECT_NE(WriteText(report, {}, {}).find("3 GPU records have no recorded launch"), std::string::npos);
}

TEST(Coverage, WithoutDetailTheRecorderCountsRecordsWithoutACall) {
  Scenario scenario({});
  scenario.PlayEvents(true);
  record::LossTotals losses;
  losses.counts[static_cast<size_t>(base::Loss::kGpuWithoutCall)] = 5;
  scenario.events().On(losses);
  EXPECT_EQ(scenario.Build().coverage().without_call(), 5u);
}

TEST(Coverage, DamageAndUnjoinableIdsAreSaid) {
  Scenario scenario({});
  scenario.PlayEvents(true);
  scenario.processes()[1].damage = {{.kind = reader::Damage::Kind::kKilled, .offset = 100, .detail = "no end frame"}};
  scenario.processes()[1].damage_count = 1;
  scenario.processes()[0].ids_joinable = false;
  const std::string text = WriteText(scenario.Build(), {}, {});
  EXPECT_NE(text.find("engine 4001: "), std::string::npos) << text;
  EXPECT_NE(text.find("SLOWTOKEN_KEY"), std::string::npos) << text;
}

TEST(Coverage, TracesOfSeveralRunsOrHostsAreSaid) {
  Scenario scenario({});
  scenario.PlayEvents(true);
  scenario.processes()[1].run_id = "00000000000000bb";
  scenario.processes()[1].boot_id = "another";
  const std::string text = WriteText(scenario.Build(), {}, {});
  EXPECT_NE(text.find("! these are traces of 2 runs, read as if they were one"), std::string::npos) << text;
  EXPECT_NE(text.find("! these are traces of several hosts"), std::string::npos) << text;
}

TEST(Coverage, TheReasonOfAProcessThatCameToCudaCountsMore) {
  Scenario scenario({});
  scenario.PlayEvents(false);
  record::SourceStatus status;
  status.process = 0;
  status.state = record::SourceState::kUnknown;
  status.detail = scenario.dictionary()->InternText("CUDA has not been initialised");
  scenario.events().On(status);
  EXPECT_EQ(scenario.Build().coverage().warnings(1),
            "CUPTI: refused: another tool holds CUPTI; stop it and start again");
}

TEST(Coverage, BlindTimeIsToldByReason) {
  Scenario scenario({});
  scenario.PlayEvents(true);
  record::SourceStatus status;
  status.process = 1;
  status.state = record::SourceState::kLost;
  status.reason = record::BlindReason::kBuffersTaken;
  status.time = Scenario::kStart + 1'000'000;
  scenario.events().On(status);
  status.state = record::SourceState::kActive;
  status.reason = record::BlindReason::kNone;
  status.time += 2'000'000;
  scenario.events().On(status);
  const v1::Report report = scenario.Build();
  EXPECT_EQ(report.coverage().blind_ns(), 2'000'000u);
  ASSERT_EQ(report.coverage().blind_by_size(), 1);
  EXPECT_EQ(report.coverage().blind_by(0).name(), "buffers_taken");
  EXPECT_EQ(report.coverage().blind_by(0).count(), 2'000'000u);
  EXPECT_FALSE(report.coverage().complete());
  EXPECT_NE(WriteText(report, {}, {}).find("! GPU records were not taken for 2.00 ms: another tool took the buffers"),
            std::string::npos);
  EXPECT_NE(JsonText(report, kAll).find("\"blind_by\":{\"buffers_taken\":2000000}"), std::string::npos);
}

}  // namespace
}  // namespace slowtoken::report
