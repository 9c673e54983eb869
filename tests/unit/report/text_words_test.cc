// What the text says beside its tables: reasons, caveats, and what a terminal can show.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/text_safety.h"
#include "report/ascii.h"
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

TEST(ReportText, SaysWhyRequestsStoodInTheQueue) {
  const std::string text = WriteText(Whole({}), {}, {});
  EXPECT_NE(text.find("  queue by reason, mean: kv_space 20.0 ms\n"), std::string::npos) << text;
  const Options options{.only = 3};
  const std::string one = WriteText(Whole(options), options, {});
  EXPECT_NE(one.find("  queue by reason: kv_space 30.0 ms\n"), std::string::npos) << one;
}

TEST(ReportText, SaysWhatPrefillOfOthersCostAndForHowManyGaps) {
  const std::string text = WriteText(Whole({}), {}, {});
  EXPECT_NE(text.find("  prefill of others in mixed iterations, an estimate for 1 of 12 gaps:\n"
                      "    mean 1.00 ms (12.5 % of them) · p99 1.00 ms\n"),
            std::string::npos)
      << text;
}

TEST(ReportText, LabelsWithoutGpuRecordsCarryTheirMeaning) {
  Scenario scenario({});
  scenario.PlayEvents(false);
  record::RequestSummary request;
  request.req = 1;
  request.arrival = 1'000'000'000;
  request.end = 2'000'000'000;
  request.has_ttft = true;
  request.ttft_ns = request.ttft_phases[static_cast<size_t>(record::TtftPhase::kPrefill)] = 5'000'000;
  record::GapSummary gap;
  gap.req = 1;
  gap.gap_ns = gap.phases[static_cast<size_t>(record::GapPhase::kGpuBusy)] = 1'000'000;
  scenario.builder().On(gap);
  scenario.builder().On(request);
  const std::string text = WriteText(scenario.Build(), {}, {});
  EXPECT_NE(text.find("No GPU records: prefill runs from the first own iter.forward"), std::string::npos) << text;
  EXPECT_NE(text.find("No GPU records: gpu_busy runs from the first own iter.forward"), std::string::npos) << text;
  EXPECT_EQ(WriteText(Whole({}), {}, {}).find("No GPU records"), std::string::npos);
}

TEST(ReportText, ClocksAreToldWhereNoGpuWorkWasRecorded) {
  Scenario scenario({});
  scenario.events().On(testing::DeviceOf(0x5A, 0, 0));
  record::DeviceSample sample;
  sample.time = Scenario::kStart;
  sample.present = record::kSampleSmClock;
  sample.sm_clock_mhz = 1410;
  scenario.events().On(sample);
  const std::string text = WriteText(scenario.Build(), {}, {});
  EXPECT_NE(text.find("\nGPU\n  clocks of GPU-5a5a: SM 1410 MHz\n"), std::string::npos) << text;
}

TEST(ReportText, ARequestThatEndedWithoutAReasonIsNotUnfinished) {
  Scenario scenario({});
  record::RequestSummary request;
  request.req = 1;
  request.arrival = 1'000'000'000;
  request.end = 2'000'000'000;
  request.flags = record::kSawArrival | record::kSawFinish;
  scenario.builder().On(request);
  request.req = 2;
  request.flags = record::kSawArrival;
  scenario.builder().On(request);
  const v1::Report report = scenario.Build();
  EXPECT_NE(WriteText(report, {}, {}).find("Requests: 2 (1 unfinished, 1 ended)"), std::string::npos);
  const json parsed = json::parse(JsonText(report, kAll));
  EXPECT_EQ(parsed["requests"][0]["finish"], "ended");
  EXPECT_EQ(parsed["requests"][1]["finish"], "unfinished");
  EXPECT_EQ(parsed["throughput"]["finish"]["ended"], 1);
}

TEST(ReportText, NarrowTerminalsGetShorterLinesAndBars) {
  const std::string text = WriteText(Whole({}), {}, {.columns = 70});
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with("█")) {
      EXPECT_LE(analysis::Columns(line), 70u) << line;
    }
  }
  const std::string ascii = WriteText(Whole({}), {}, {.ascii = true});
  EXPECT_NE(ascii.find("#####"), std::string::npos);
  EXPECT_TRUE(std::all_of(ascii.begin(), ascii.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
}

TEST(Ascii, SignsBecomeTheNearest) {
  EXPECT_EQ(ToAscii("12.3 µs · p50 █████ name… → é😀"), "12.3 us , p50 ##### name~ > ??");
  EXPECT_EQ(ToAscii("cut \xc3"), "cut ?");
}

}  // namespace
}  // namespace slowtoken::report
