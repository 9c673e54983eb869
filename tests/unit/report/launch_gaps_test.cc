// What the report makes of launch gaps.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "report/gap_findings.h"
#include "report/text.h"
#include "scenario.h"

namespace slowtoken::report {
namespace {

using nlohmann::json;
using slowtoken::testing::JsonText;
using slowtoken::testing::Scenario;
using slowtoken::testing::Whole;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(LaunchGaps, ThePlacesAddUpToIdleHostAndNameThreadAndRange) {
  const json report = json::parse(JsonText(Whole({}), {}));
  const json& by = report["launch_gaps"]["host_idle_by"];
  uint64_t sum = 0;
  for (const json& place : by) sum += place["total_ns"].get<uint64_t>();
  EXPECT_EQ(sum, report["devices"][0]["idle_by"]["host"].get<uint64_t>());
  EXPECT_EQ(by[0]["thread_name"], "engine-core");
  EXPECT_EQ(by[0]["range"], "iter.forward");
  EXPECT_EQ(by[0]["role"], "engine");
  EXPECT_EQ(report["launch_gaps"]["delay_by"][0]["count"], 100);
}

TEST(LaunchGaps, AThreadWhoseNameIsAPseudonymIsCalledByItsRole) {
  v1::Report report = Whole({});
  for (v1::LaunchPlace& place : *report.mutable_launch_gaps()->mutable_host_idle())
    place.set_thread_name("~f076e7aaba670fe8");
  const std::string text = WriteText(report, {}, {});
  EXPECT_THAT(text, HasSubstr("  100     scheduling  iter.forward\n"));
  EXPECT_THAT(text, Not(HasSubstr("~f076")));
  const std::string how = "slowtoken run --clear-domains=threads";
  EXPECT_EQ(text.find(how), text.rfind(how)) << "said once";
  EXPECT_NE(text.find(how), std::string::npos);
  EXPECT_EQ(PlaceText(report.launch_gaps().host_idle(0)), "the scheduling thread (100) in iter.forward");
}

// Decode-only iterations, 7 of every 8 ms; the GPU idles 400 µs of each millisecond, for want of a launch.
TEST(LaunchGaps, HostBoundDecodeIsFoundWithItsShareAndWho) {
  const v1::Report report = Whole({});
  const v1::DecodeIdle& decode = report.devices(0).decode();
  EXPECT_EQ(decode.iterations_ns(), 9u * 7'000'000);
  EXPECT_NEAR(static_cast<double>(decode.host_idle_ns()) / static_cast<double>(decode.iterations_ns()), 0.4, 0.01);
  ASSERT_FALSE(report.launch_gaps().findings().empty());
  const v1::GapFinding& finding = report.launch_gaps().findings(0);
  EXPECT_EQ(finding.kind(), "host_bound_decode");
  EXPECT_THAT(finding.text(),
              HasSubstr("100.0 % of that ended with a launch by thread engine-core (100) in iter.forward"));
}

// Between two kernels (400 µs) the thread is blocked for 100 µs, then has no CPU for 50 µs and goes on on another.
TEST(LaunchGaps, TellsWhatTheThreadDidThatTheGpuWaitedFor) {
  Scenario scenario({});
  scenario.PlayEvents(true);
  for (uint32_t i = 1; i < 100; ++i) {
    const record::TimeNs idle = Scenario::kStart + 100'625'000 + i * uint64_t{1'000'000};
    scenario.events().On(record::OffCpu{idle + 50'000, idle + 150'000, 100, record::OffCpuReason::kBlocked, false, 1});
    scenario.events().On(
        record::OffCpu{idle + 200'000, idle + 250'000, 100, record::OffCpuReason::kPreempted, true, 1});
  }
  scenario.events().On(record::CpuSample{
      .start = Scenario::kStart, .end = Scenario::kStart + 1'000'000'000, .thread = 100, .exact = true, .process = 1});
  const v1::Report report = scenario.Build();
  EXPECT_EQ(json::parse(JsonText(report, {}))["launch_gaps"]["awaited"].dump(),
            R"([{"blocked_ns":9900000,"idle_ns":39600000,"known_ns":39600000,"migrations":99,"pid":4001,)"
            R"("preempted_ns":4950000,"ran_ns":24750000,"role":"engine","thread":100,"thread_name":"engine-core",)"
            R"("thread_role":"scheduling thread"}])");
  EXPECT_THAT(WriteText(report, {}, {}),
              HasSubstr("What those threads did meanwhile (in waits that are not short)\n"
                        "  thread           role        GPU waited   on CPU   no CPU  blocked  moves\n"
                        "  engine-core 100  scheduling     39.6 ms  24.8 ms  4.95 ms  9.90 ms     99\n"));
}

TEST(LaunchGaps, OfAThreadThatNobodyWatchedNothingIsTold) {
  const v1::Report report = Whole({});
  EXPECT_EQ(report.launch_gaps().awaited(0).known_ns(), 0u);
  EXPECT_THAT(WriteText(report, {}, {}), Not(HasSubstr("What those threads did")));
}

TEST(LaunchGaps, WithoutTrustInTheRecordsIdleTimeHasNobody) {
  const json report = json::parse(JsonText(Whole({}, false), {}));
  EXPECT_TRUE(report["launch_gaps"]["host_idle_by"].is_null());
  EXPECT_TRUE(report["launch_gaps"]["awaited"].is_null());
  EXPECT_TRUE(report["devices"][0]["decode"].is_null());
  EXPECT_TRUE(report["devices"][0]["copies_ns"].is_null());
  EXPECT_TRUE(report["launch_gaps"]["small_kernels"].is_null());
}

v1::Report Machine() {
  v1::Report report;
  v1::Device& device = *report.add_devices();
  device.set_name("Toy GPU");
  device.set_busy_ns(1'000'000'000);
  v1::SmallKernels& kernels = *report.mutable_launch_gaps()->mutable_small_kernels();
  kernels.set_below_ns(10'000);
  kernels.set_count(90);
  kernels.set_of(100);
  kernels.set_lost_ns(100'000'000);
  device.set_copies_ns(100'000'000);
  device.set_copies_overlapped_ns(20'000'000);
  return report;
}

std::vector<std::string> Kinds(v1::Report report) {
  FillGapFindings(report);
  std::vector<std::string> kinds;
  for (const v1::GapFinding& finding : report.launch_gaps().findings()) kinds.push_back(finding.kind());
  return kinds;
}

TEST(GapFindings, EachHasItsThreshold) {
  using ::testing::ElementsAre;
  EXPECT_THAT(Kinds(Machine()), ElementsAre("copies_alone", "small_kernels"));
  v1::Report few = Machine();
  few.mutable_launch_gaps()->mutable_small_kernels()->set_count(49);
  few.mutable_devices(0)->set_copies_overlapped_ns(50'000'000);
  EXPECT_THAT(Kinds(few), ElementsAre());
  v1::Report cheap = Machine();
  cheap.mutable_launch_gaps()->mutable_small_kernels()->set_lost_ns(50'000'000);
  cheap.mutable_devices(0)->set_copies_ns(19'000'000);
  EXPECT_THAT(Kinds(cheap), ElementsAre());
  v1::Report untold = Machine();
  untold.mutable_launch_gaps()->mutable_small_kernels()->clear_lost_ns();
  untold.mutable_devices(0)->clear_copies_overlapped_ns();
  EXPECT_THAT(Kinds(untold), ElementsAre());
}

TEST(GapFindings, TheySayTheNumbers) {
  v1::Report report = Machine();
  FillGapFindings(report);
  EXPECT_THAT(
      report.launch_gaps().findings(1).text(),
      HasSubstr("90.0 % of 100 kernels launched one by one are shorter than 10.0 µs, and the GPU lost 100 ms (9.1 %)"));
}

}  // namespace
}  // namespace slowtoken::report
