#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/text_safety.h"
#include "golden.h"
#include "record/phases.h"
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

uint64_t SumOf(const json& phases) {
  uint64_t sum = 0;
  for (const auto& [name, ns] : phases.items()) sum += ns.get<uint64_t>();
  return sum;
}

void ExpectNarrow(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(analysis::Columns(line), 100u) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

TEST(ReportText, GoldenOfAWholeRun) {
  const std::string text = WriteText(Whole({.iterations = true}), {.iterations = true}, {});
  testing::ExpectGolden("report.txt", text);
  ExpectNarrow(text);
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << "no colour unless a terminal asks";
}

TEST(ReportText, GoldenWithoutGpuRecords) {
  const std::string text = WriteText(Whole({}, false), {}, {});
  testing::ExpectGolden("report_no_kernels.txt", text);
  ExpectNarrow(text);
}

TEST(ReportText, OneRequestShowsItsPhasesAndLongestGaps) {
  const Options options{.only = 3};
  const std::string text = WriteText(Whole(options), options, {});
  testing::ExpectGolden("report_request.txt", text);
  ExpectNarrow(text);
  const Options other{.only = 77};
  EXPECT_NE(WriteText(Whole(other), other, {}).find("The request is not in this trace"), std::string::npos);
}

TEST(ReportText, ColourOnlyWhenAsked) {
  EXPECT_NE(WriteText(Whole({}), {}, {.colour = true}).find("\x1b[32mcomplete"), std::string::npos);
}

TEST(ReportText, AnEmptyTraceSaysWhatIsMissing) {
  Scenario scenario({});
  scenario.processes().clear();
  const std::string text = WriteText(scenario.Build(), {}, {});
  EXPECT_NE(text.find("INCOMPLETE, tier 0"), std::string::npos) << text;
  EXPECT_NE(text.find("not recorded: gpu_records, launches, requests, iterations, batches, utc, thread_states"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("nan"), std::string::npos);
}

TEST(ReportJson, GoldenOfAWholeRun) { testing::ExpectGolden("report.json", JsonText(Whole(kAll), kAll)); }

TEST(ReportJson, HasEveryNameOfTheContract) {
  const json report = json::parse(JsonText(Whole(kAll), kAll));
  EXPECT_EQ(report["schema"], "slowtoken.report.v1");
  for (const char* name : {"coverage", "throughput", "requests", "ttft", "itl", "stalls", "iterations", "launch",
                           "devices", "kernels", "ranks", "overhead", "conditions", "origin"}) {
    EXPECT_TRUE(report.contains(name)) << name;
  }
  for (const char* name : {"tier", "kernels", "launches", "launches_matched", "launches_captured", "graph_launches",
                           "blind_ns", "dropped", "unattributed_share", "complete", "missing"}) {
    EXPECT_TRUE(report["coverage"].contains(name)) << name;
  }
  for (const char* name : {"req", "arrival_ns", "ttft_ns", "e2e_ns", "prompt", "cached", "tokens", "finish", "cause",
                           "ttft_phases", "prefill_by", "queue_by", "gaps", "gpu_share_ns"}) {
    EXPECT_TRUE(report["requests"][0].contains(name)) << name;
  }
  for (const char* name : {"n", "n_new", "gap_ns", "phases", "interference_est_ns", "stall"}) {
    EXPECT_TRUE(report["requests"][0]["gaps"][0].contains(name)) << name;
  }
  for (const char* name : {"iter", "dp_rank", "start_ns", "dur_ns", "gpu_ns", "kernels", "graph", "prefill", "decode",
                           "prefill_tok", "collective_ns", "kv_used", "kv_total", "waiting"}) {
    EXPECT_TRUE(report["iterations"]["list"][0].contains(name)) << name;
  }
}

TEST(ReportJson, PhasesAddUpExactly) {
  const json report = json::parse(JsonText(Whole(kAll), kAll));
  ASSERT_EQ(report["requests"].size(), 3u);
  for (const json& request : report["requests"]) {
    EXPECT_EQ(SumOf(request["ttft_phases"]), request["ttft_ns"].get<uint64_t>());
    ASSERT_EQ(request["gaps"].size(), 4u);
    for (const json& gap : request["gaps"]) EXPECT_EQ(SumOf(gap["phases"]), gap["gap_ns"].get<uint64_t>());
  }
}

TEST(ReportJson, InstantsCountFromTheOrigin) {
  const json report = json::parse(JsonText(Whole(kAll), kAll));
  EXPECT_EQ(report["origin"]["monotonic_ns"], Scenario::kStart);
  EXPECT_EQ(report["origin"]["utc"], "2025-11-30T10:53:20.000000000Z");
  EXPECT_EQ(report["requests"][0]["arrival_ns"], 50'000'000);
  EXPECT_EQ(report["stalls"][0]["start_ns"], 150'000'000 + 120'000'007 + 32'000'000);
  EXPECT_EQ(report["iterations"]["list"][0]["start_ns"], 100'000'000);
}

TEST(ReportJson, ARequestAliveAtTheStartMovesTheOrigin) {
  Scenario scenario(kAll);
  scenario.PlayEvents(true);
  scenario.builder().On(testing::RequestOf(9, Scenario::kStart - 1'000'000, 5'000'000, 1));
  const json report = json::parse(JsonText(scenario.Build(), kAll));
  EXPECT_EQ(report["origin"]["monotonic_ns"], Scenario::kStart - 1'000'000);
  EXPECT_EQ(report["requests"][0]["arrival_ns"], 0);
}

TEST(ReportJson, TokensOfSpeculativeStepsAreWeighted) {
  const json report = json::parse(JsonText(Whole({}), {}));
  EXPECT_EQ(report["itl"]["step"]["count"], 12);
  EXPECT_EQ(report["itl"]["token"]["count"], 13);
  EXPECT_EQ(report["itl"]["step"]["max_ns"], 58'000'003);
  EXPECT_TRUE(report["requests"][0]["gaps"].empty()) << "only kept when asked for";
}

TEST(ReportJson, ASlowFirstTokenHasItsCauseAndEvidence) {
  const json report = json::parse(JsonText(Whole(kAll), kAll));
  EXPECT_TRUE(report["requests"][0]["cause"].is_null());
  const json& cause = report["requests"][2]["cause"];
  EXPECT_EQ(cause["cause"], "queue_kv_space");
  EXPECT_EQ(cause["confidence"], "low");
  EXPECT_EQ(cause["largest_phase"], "queue");
  EXPECT_EQ(cause["excess_ns"], 28'000'000);
  EXPECT_EQ(cause["evidence"], json::parse(R"([{"kind": "wait_marks", "ns": 20000000}])"));
}

TEST(ReportJson, AStallHasItsCauseAndEvidence) {
  const json report = json::parse(JsonText(Whole(kAll), kAll));
  const json& stall = report["requests"][2]["gaps"][2]["stall"];
  EXPECT_EQ(stall["cause"], "prefill_interference");
  EXPECT_EQ(stall["confidence"], "high");
  EXPECT_EQ(stall["evidence"], json::parse(R"([{"kind": "other_prefill", "ns": 49000000, "start_ns": 2000000,
      "end_ns": 51000000, "iter": 7, "req": "0000000000000002", "req_prompt": 2000,
      "amount": 4096}])"));
  EXPECT_EQ(report["stalls"][0]["cause"], "prefill_interference");
  EXPECT_EQ(report["stalls"][0]["evidence"], stall["evidence"]);
}

TEST(ReportJson, WhatCannotBeToldIsLeftOutOrNull) {
  Scenario scenario(kAll);
  scenario.PlayEvents(false);
  record::RequestSummary request = testing::RequestOf(1, Scenario::kStart + 5, 8000, 2);
  request.flags = record::kSawArrival;
  record::GapSummary gap = testing::GapOf(1, 2, Scenario::kStart + 9000, 4000);
  gap.flags = 0;
  record::RequestSummary none;
  none.req = 2;
  none.arrival = none.end = Scenario::kStart + 6;
  none.finish = record::FinishReason::kAbort;
  record::IterationSummary iteration;
  iteration.start = iteration.end = Scenario::kStart + 7;
  scenario.builder().On(gap);
  scenario.builder().On(request);
  scenario.builder().On(none);
  scenario.builder().On(iteration);
  const json report = json::parse(JsonText(scenario.Build(), kAll));
  const json& first = report["requests"][0];
  EXPECT_FALSE(first["ttft_phases"].contains("backlog"));
  EXPECT_TRUE(first["ttft_phases"].contains("queue"));
  EXPECT_TRUE(first["prefill_by"].empty());
  EXPECT_TRUE(first["gpu_share_ns"].is_null());
  for (const char* phase : {"collective", "gpu_idle", "prefill_interference", "backlog"}) {
    EXPECT_FALSE(first["gaps"][0]["phases"].contains(phase)) << phase;
  }
  EXPECT_TRUE(first["gaps"][0]["interference_est_ns"].is_null());
  EXPECT_TRUE(report["requests"][1]["ttft_ns"].is_null());
  EXPECT_TRUE(report["requests"][1]["ttft_phases"].empty());
  EXPECT_EQ(report["requests"][1]["finish"], "abort");
  const json& only = report["iterations"]["list"][0];
  for (const char* name : {"gpu_ns", "collective_ns", "prefill", "decode", "kv_used", "waiting"})
    EXPECT_TRUE(only[name].is_null()) << name;
}

TEST(ReportJson, AtGraphLaunchLevelTheInsideOfAReplayIsNotTold) {
  const Options options{.gaps = true, .iterations = true, .graph_launch_level = true};
  const json report = json::parse(JsonText(Whole(options), options));
  EXPECT_FALSE(report["requests"][0]["gaps"][0]["phases"].contains("collective"));
  EXPECT_FALSE(report["requests"][0]["prefill_by"].contains("collective"));
  EXPECT_TRUE(report["iterations"]["list"][11]["collective_ns"].is_null());
  EXPECT_EQ(report["iterations"]["list"][0]["collective_ns"], 0) << "an eager one";
}

TEST(Report, WhatOverlapsABlindIntervalSaysSo) {
  Scenario scenario(kAll);
  record::RequestSummary request = testing::RequestOf(1, Scenario::kStart, 1'000'000, 2);
  request.flags |= record::kOverlapsBlind;
  record::GapSummary gap = testing::GapOf(1, 2, Scenario::kStart + 1'000'000, 90'000'000);
  gap.is_stall = true;
  gap.flags |= record::kOverlapsBlind;
  gap.finding.evidence = record::EvidenceKind::kBlind;
  scenario.builder().On(gap);
  scenario.builder().On(request);
  const v1::Report report = scenario.Build();
  const json written = json::parse(JsonText(report, kAll));
  EXPECT_TRUE(written["requests"][0]["overlaps_blind"].get<bool>());
  EXPECT_TRUE(written["requests"][0]["gaps"][0]["overlaps_blind"].get<bool>());
  EXPECT_TRUE(written["stalls"][0]["overlaps_blind"].get<bool>());
  EXPECT_NE(WriteText(report, {}, {}).find("unknown: nothing was seen for a part of this time"), std::string::npos);
}

TEST(ReportJson, BugLog106_AnyNameGivesStrictJson) {
  Scenario scenario(kAll);
  scenario.PlayEvents(true);
  const std::string names[] = {"quote\"back\\slash",     std::string("nul\0x01\x01", 8),
                               "\xED\xA0\x80 surrogate", "\xE2\x80\xA8 \xF0\x9F\x98\x80",
                               std::string(5000, 'T'),   std::string(1 << 20, 'M')};
  uint32_t id = 5000;
  for (const std::string& name : names) {
    ++id;
    const record::TimeNs start = Scenario::kStart + id;
    const record::ShapeId shape = scenario.dictionary().Shape(name);
    scenario.events().On(testing::KernelAt(id, start, start + 10, shape, scenario.dictionary().Lane(7, 1), 1));
  }
  const std::string text = JsonText(scenario.Build(), kAll);
  const json report = json::parse(text);
  EXPECT_EQ(report["kernels"].size(), 2u + std::size(names));
}

TEST(ReportJson, BugLog83_HostileSummariesNeitherCrashNorOverflow) {
  Scenario scenario(kAll);
  const uint64_t hostile[] = {0, 1, (uint64_t{1} << 63) - 1, uint64_t{1} << 63, ~uint64_t{0}};
  record::RequestId req = 1;
  for (const uint64_t value : hostile) {
    record::RequestSummary request = testing::RequestOf(req++, value, value, value % 1000);
    request.end = value / 2;
    request.finish = static_cast<record::FinishReason>(200);
    scenario.builder().On(request);
    record::GapSummary gap = testing::GapOf(req, static_cast<uint32_t>(value), value, value);
    gap.n_new = static_cast<uint32_t>(value);
    gap.is_stall = true;
    gap.excess_ns = value;
    gap.largest_phase = static_cast<record::GapPhase>(250);
    scenario.builder().On(gap);
    record::IterationSummary iteration;
    iteration.start = value;
    iteration.end = value / 2;
    iteration.gpu_busy_ns = value;
    iteration.gpu_start = 1;
    scenario.builder().On(iteration);
  }
  const v1::Report report = scenario.Build();
  const json parsed = json::parse(JsonText(report, kAll));
  EXPECT_EQ(parsed["requests"].size(), 5u);
  EXPECT_EQ(parsed["itl"]["step"]["max_ns"].get<uint64_t>(), ~uint64_t{0});
  ExpectNarrow(WriteText(report, {}, {}));
}

}  // namespace
}  // namespace slowtoken::report
