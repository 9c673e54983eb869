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
  scenario.analysis().On(trigger);
  scenario.analysis().On(trigger);  // another process wrote it down as well
  const v1::Report report = scenario.Build();
  EXPECT_NE(Head(report).find("Triggered at +2.00 s (slo_itl): request 0000000000000003 waited for token 17: 120 ms, "
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
  scenario.analysis().On(trigger);
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
    scenario.analysis().On(trigger);
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
  scenario.analysis().On(change);
  const json notes = ToJson(scenario.Build())["coverage"]["notes"];
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].get<std::string>().find("size cap at +4.00 s"), std::string::npos) << notes;
}

}  // namespace
}  // namespace slowtoken::report
