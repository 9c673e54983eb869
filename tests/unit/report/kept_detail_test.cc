#include "report/kept_detail.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "report/json.h"
#include "report/text.h"
#include "scenario.h"

namespace slowtoken::report {
namespace {

using nlohmann::json;
using testing::Scenario;

constexpr Options kPlain{};

record::Trigger TriggerAt(record::TimeNs time, record::TriggerKind kind) {
  record::Trigger trigger;
  trigger.time = time;
  trigger.window_start = time - 1'000'000'000;
  trigger.window_end = time + 500'000'000;
  trigger.id = 0xabc;
  trigger.kind = kind;
  return trigger;
}

json ToJson(const v1::Report& report) { return json::parse(testing::JsonText(report, kPlain)); }

std::string Head(const v1::Report& report) {
  const std::string text = WriteText(report, kPlain, {.colour = false});
  return text.substr(0, text.find("Coverage"));
}

TEST(KeptDetail, ATriggerStandsAtTheTop) {
  Scenario scenario(kPlain);
  scenario.PlayEvents(true);
  scenario.PlaySummaries();
  record::Trigger trigger = TriggerAt(Scenario::kStart + 2'000'000'000, record::TriggerKind::kSloItl);
  trigger.req = 3;
  trigger.n = 17;
  trigger.value_ns = 120'000'000;
  trigger.limit_ns = 100'000'000;
  scenario.events().On(trigger);
  scenario.events().On(trigger);  // another process wrote it down as well
  const v1::Report report = scenario.Build();
  EXPECT_NE(
      Head(report).find("Triggered at +2.00 s (SLO itl): request 0000000000000003 had waited 120 ms for token 17, "
                        "limit 100 ms\n"),
      std::string::npos)
      << Head(report);
  const json triggers = ToJson(report)["triggers"];
  ASSERT_EQ(triggers.size(), 1u);
  EXPECT_EQ(triggers[0]["kind"], "slo_itl");
  EXPECT_EQ(triggers[0]["time_ns"], 2'000'000'000);
  EXPECT_EQ(triggers[0]["window_start_ns"], 1'000'000'000);
  EXPECT_EQ(triggers[0]["window_end_ns"], 2'500'000'000);
  EXPECT_EQ(triggers[0]["req"], "0000000000000003");
  EXPECT_EQ(triggers[0]["n"], 17);
  EXPECT_EQ(triggers[0]["value_ns"], 120'000'000);
  EXPECT_EQ(triggers[0]["limit_ns"], 100'000'000);
  EXPECT_EQ(triggers[0]["id"], "0000000000000abc");
  EXPECT_TRUE(triggers[0]["text"].is_null());
}

TEST(KeptDetail, TheUsersWordsStandThereToo) {
  Scenario scenario(kPlain);
  record::Trigger trigger = TriggerAt(Scenario::kStart + 1'000'000'000, record::TriggerKind::kControl);
  trigger.text = scenario.dictionary()->InternText("before\x1b[31m the rollout");
  scenario.events().On(trigger);
  const v1::Report report = scenario.Build();
  EXPECT_NE(Head(report).find("(control): asked for: before"), std::string::npos) << Head(report);
  EXPECT_EQ(Head(report).find('\x1b'), std::string::npos) << "nothing that a terminal would obey";
  EXPECT_TRUE(ToJson(report)["triggers"][0]["req"].is_null());
}

TEST(KeptDetail, ManyTriggersAreAFewLines) {
  Scenario scenario(kPlain);
  for (uint64_t i = 0; i < 40; ++i) {
    record::Trigger trigger = TriggerAt(Scenario::kStart + i * 1'000'000, record::TriggerKind::kStall);
    trigger.req = i;
    scenario.events().On(trigger);
  }
  const v1::Report report = scenario.Build();
  EXPECT_NE(Head(report).find("and 35 more triggers"), std::string::npos) << Head(report);
  EXPECT_EQ(ToJson(report)["triggers"].size(), 40u);
}

TEST(KeptDetail, ModeMetricsIsCompleteWithoutKernels) {
  Scenario scenario(kPlain);
  scenario.PlaySummaries();
  for (reader::ProcessInfo& process : scenario.processes()) process.detail_from = UINT64_MAX;
  const v1::Report report = scenario.Build();
  const json coverage = ToJson(report)["coverage"];
  EXPECT_TRUE(coverage["complete"]);
  EXPECT_NE(std::find(coverage["missing"].begin(), coverage["missing"].end(), "detail"), coverage["missing"].end());
  ASSERT_EQ(coverage["notes"].size(), 1u);
  EXPECT_NE(coverage["notes"][0].get<std::string>().find("summaries only"), std::string::npos);
  for (const json& warning : coverage["warnings"]) {
    EXPECT_EQ(warning.get<std::string>().find("GPU"), std::string::npos) << "where none is kept, none is missed";
  }
}

TEST(KeptDetail, TheRingSaysFromWhenOn) {
  Scenario scenario(kPlain);
  scenario.PlayEvents(true);
  scenario.processes()[0].detail_from = Scenario::kStart + 3'000'000'000;
  const json notes = ToJson(scenario.Build())["coverage"]["notes"];
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].get<std::string>().find("full detail from +3.00 s on"), std::string::npos) << notes;
}

TEST(KeptDetail, ATraceAtItsCapSaysSo) {
  Scenario scenario(kPlain);
  scenario.PlayEvents(true);
  record::DetailChange change;
  change.time = Scenario::kStart + 4'000'000'000;
  change.level = record::DetailLevel::kMetrics;
  change.reason = record::DetailReason::kCapped;
  scenario.events().On(change);
  const json notes = ToJson(scenario.Build())["coverage"]["notes"];
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].get<std::string>().find("size cap at +4.00 s"), std::string::npos) << notes;
}

record::DetailChange ChangeAt(record::TimeNs after_start, record::DetailLevel level, record::DetailReason reason) {
  return {.time = Scenario::kStart + after_start,
          .level = level,
          .reason = reason,
          .keep_one_in = level == record::DetailLevel::kSampled ? 10u : 1u,
          .cost_ppm = 14'000,
          .budget_ppm = 10'000};
}

// A run in which the governor went down at 1 s, further down at 2 s, and up again to full detail at 3 s.
v1::Report Governed() {
  Scenario scenario(kPlain);
  scenario.PlayEvents(true);
  for (int copy = 0; copy < 2; ++copy) {  // at the head of the next chunk again
    scenario.events().On(ChangeAt(1'000'000'000, record::DetailLevel::kSampled, record::DetailReason::kBudget));
    scenario.events().On(ChangeAt(2'000'000'000, record::DetailLevel::kMetrics, record::DetailReason::kBudget));
    scenario.events().On(ChangeAt(3'000'000'000, record::DetailLevel::kFull, record::DetailReason::kSpare));
  }
  record::CaptureTotals totals;
  totals.kernels = 123'456;
  totals.launches = 1'234;
  scenario.events().On(totals);
  return scenario.Build();
}

TEST(KeptDetail, EachStepOfTheGovernorIsALineWithItsReason) {
  const json notes = ToJson(Governed())["coverage"]["notes"];
  ASSERT_EQ(notes.size(), 2u) << notes;
  EXPECT_EQ(
      notes[0].get<std::string>().substr(notes[0].get<std::string>().find(": ") + 2),
      "from +1.00 s to +2.00 s only the detail of 1 iteration in 10 was kept: own cost 1.4 % over the budget of 1.0 %");
  EXPECT_NE(notes[1].get<std::string>().find("from +2.00 s to +3.00 s only summaries and metrics were kept"),
            std::string::npos)
      << notes;
}

TEST(KeptDetail, TheStepsAreInTheJson) {
  const json detail = ToJson(Governed())["detail"];
  ASSERT_EQ(detail.size(), 2u) << "each once";
  EXPECT_EQ(detail[0]["level"], "sampled");
  EXPECT_EQ(detail[0]["unit"], "iterations");
  EXPECT_EQ(detail[0]["keep_one_in"], 10);
  EXPECT_EQ(detail[0]["reason"], "budget");
  EXPECT_EQ(detail[0]["start_ns"], 1'000'000'000);
  EXPECT_EQ(detail[0]["end_ns"], 2'000'000'000);
  EXPECT_DOUBLE_EQ(detail[0]["cost"].get<double>(), 0.014);
  EXPECT_DOUBLE_EQ(detail[0]["budget"].get<double>(), 0.01);
  EXPECT_EQ(detail[1]["level"], "metrics");
  EXPECT_TRUE(detail[1]["unit"].is_null());
}

TEST(KeptDetail, OfASampleNobodyTellsWhenTheGpuWasIdle) {
  const v1::Report report = Governed();
  const json all = ToJson(report);
  const json& coverage = all["coverage"];
  EXPECT_TRUE(coverage["sampled"]);
  EXPECT_FALSE(coverage["gpu_trusted"]);
  EXPECT_EQ(coverage["seen"]["kernels"], 123'456);
  EXPECT_EQ(coverage["seen"]["launches"], 1'234);
  for (const json& device : all["devices"]) {
    EXPECT_TRUE(device["busy_ns"].is_null());
    EXPECT_TRUE(device["idle_ns"].is_null());
  }
  for (const json& warning : coverage["warnings"]) {
    EXPECT_EQ(warning.get<std::string>().find("too many GPU records are missing"), std::string::npos) << "on purpose";
  }
  const std::string text = WriteText(report, kPlain, {.colour = false});
  EXPECT_NE(text.find("the detail is a sample, of 123,456 kernels and 1,234 launches seen"), std::string::npos) << text;
}

TEST(KeptDetail, WhatTheUserSampledIsSaidSo) {
  Scenario scenario(kPlain);
  scenario.PlayEvents(true);
  record::DetailChange change = ChangeAt(0, record::DetailLevel::kSampled, record::DetailReason::kStart);
  change.unit = record::SampleUnit::kRequests;
  scenario.events().On(change);
  const json coverage = ToJson(scenario.Build())["coverage"];
  ASSERT_EQ(coverage["notes"].size(), 1u);
  EXPECT_NE(coverage["notes"][0].get<std::string>().find(
                "only the detail of the iterations of 1 request in 10 was kept (--sample)"),
            std::string::npos);
  EXPECT_TRUE(coverage["sampled"]);
}

// Of long ago: the ring has full detail for all of its time.
TEST(KeptDetail, AStepBeforeTheRingBeginsDoesNotSpoilIt) {
  Scenario scenario(kPlain);
  scenario.PlayEvents(true);
  scenario.events().On(ChangeAt(1'000'000'000, record::DetailLevel::kSampled, record::DetailReason::kBudget));
  scenario.events().On(ChangeAt(2'000'000'000, record::DetailLevel::kFull, record::DetailReason::kSpare));
  for (reader::ProcessInfo& process : scenario.processes()) process.detail_from = Scenario::kStart + 2'500'000'000;
  const json report = ToJson(scenario.Build());
  EXPECT_FALSE(report["coverage"]["sampled"]);
  EXPECT_TRUE(report["coverage"]["seen"].is_null());
  EXPECT_EQ(report["detail"].size(), 1u) << "it is told all the same";
}

TEST(KeptDetail, FullDetailSaysNothing) {
  const json report = ToJson(testing::Whole(kPlain));
  EXPECT_TRUE(report["detail"].empty());
  EXPECT_FALSE(report["coverage"]["sampled"]);
}

}  // namespace
}  // namespace slowtoken::report
