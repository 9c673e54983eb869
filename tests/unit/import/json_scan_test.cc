#include "import/json_scan.h"

#include <gtest/gtest.h>

#include "kineto_text.h"

namespace slowtoken::importing {
namespace {

using Verdict = ScanResult::Verdict;

struct Scanned final : EventReceiver {
  explicit Scanned(std::string json) : text(std::move(json)), result(ScanJson(text, *this)) {}
  void On(const SourceEvent& event) override {
    events.push_back(event);
    names.emplace_back(event.name);
  }
  void ReadUpTo(uint64_t) override {}

  std::vector<SourceEvent> events;
  std::vector<std::string> names;
  std::string text;
  ScanResult result;
};

TEST(JsonScan, AnEventWithItsArguments) {
  const Scanned scanned(KinetoText().Kernel("gemm", 17, "1000.5", "3").Text());
  EXPECT_EQ(scanned.result.verdict, Verdict::kWhole);
  ASSERT_EQ(scanned.events.size(), 1u);
  const SourceEvent& event = scanned.events[0];
  EXPECT_EQ(event.ph, "X");
  EXPECT_EQ(event.cat, "kernel");
  EXPECT_EQ(event.ts, "1000.5");
  EXPECT_EQ(event.dur, "3");
  EXPECT_EQ(event.Get(Arg::kCorrelation), "17");
  EXPECT_EQ(event.Get(Arg::kStream), "7");
  EXPECT_EQ(event.shape[0], (std::array<uint32_t, 3>{8, 2, 1}));
  EXPECT_EQ(event.shape[1], (std::array<uint32_t, 3>{128, 1, 1}));
  EXPECT_FALSE(event.Has(Arg::kCollective));
}

TEST(JsonScan, MembersOfOneEventAreNotThoseOfTheNext) {
  const Scanned scanned(
      KinetoText().Kernel("a", 1, "1", "1", R"(, "Collective name": "allreduce")").Event(R"("name": "b")").Text());
  ASSERT_EQ(scanned.events.size(), 2u);
  EXPECT_EQ(scanned.events[0].Get(Arg::kCollective), "allreduce");
  EXPECT_EQ(scanned.events[1].Get(Arg::kCollective), "");
  EXPECT_EQ(scanned.events[1].cat, "");
  EXPECT_EQ(scanned.events[1].shape[0], (std::array<uint32_t, 3>{}));
}

TEST(JsonScan, FactsBeforeAndBehindTheEvents) {
  const Scanned scanned(KinetoText()
                            .Before(R"("schemaVersion": 1)")
                            .Before(R"("deviceProperties": [{"id": 0, "name": "A100", "deep": {"id": 9}}, {"id": 1}])")
                            .Before(R"("distributedInfo": {"backend": "nccl", "rank": 3, "pg_config": [{"rank": 8}]})")
                            .Event(R"("name": "e")")
                            .After(R"("baseTimeNanoseconds": 1711964646000000000)")
                            .Text());
  EXPECT_EQ(Find(scanned.result.metadata.top, "schemaVersion"), "1");
  EXPECT_EQ(Find(scanned.result.metadata.top, "baseTimeNanoseconds"), "1711964646000000000");
  EXPECT_EQ(Find(scanned.result.metadata.distributed, "rank"), "3");
  ASSERT_EQ(scanned.result.metadata.devices.size(), 2u);
  EXPECT_EQ(Find(scanned.result.metadata.devices[0], "id"), "0");
  EXPECT_EQ(Find(scanned.result.metadata.devices[0], "name"), "A100");
}

TEST(JsonScan, WhatIsNoTraceIsCalledByItsName) {
  for (const auto& [text, what] : std::vector<std::pair<std::string, std::string>>{
           {"[[-1, 1, 37888, 7]]", "a list"},
           {"[]", "a list"},
           {"{}", "an object without `traceEvents`"},
           {R"({"traceEvents": 5})", "an object without `traceEvents`"},
           {R"({"data": [{"name": "x"}]})", "an object without `traceEvents`"},
           {"42", "a single number"},
           {R"("text")", "a single text"}}) {
    const Scanned scanned(text);
    EXPECT_EQ(scanned.result.verdict, Verdict::kNotATrace) << text;
    EXPECT_EQ(scanned.result.what, what) << text;
  }
}

TEST(JsonScan, CutAnywhereItDeliversTheWholeEventsBefore) {
  KinetoText trace;
  trace.Before(R"("schemaVersion": 1)");
  for (int i = 0; i < 3; ++i) trace.Kernel("kernel " + std::to_string(i), i + 1, std::to_string(i * 10), "5");
  const std::string whole = trace.Text();
  uint64_t most = 0;
  for (size_t bytes = 0; bytes + 2 < whole.size(); ++bytes) {
    const Scanned scanned(whole.substr(0, bytes));
    EXPECT_EQ(scanned.result.verdict, Verdict::kCut) << "at byte " << bytes;
    EXPECT_GE(scanned.result.events, most);
    most = scanned.result.events;
    for (size_t i = 0; i < scanned.names.size(); ++i) {
      EXPECT_EQ(scanned.names[i], "kernel " + std::to_string(i));
      EXPECT_EQ(scanned.events[i].Get(Arg::kCorrelation), std::to_string(i + 1));
    }
  }
  EXPECT_EQ(most, 3u);
}

std::string ThreeEvents() {
  return KinetoText()
      .Event(R"("name": "a", "args": {"x": "a long enough text"})")
      .Event(R"("name": "b", "args": {"x": "a long enough text"})")
      .Event(R"("name": "c", "args": {"list": [{"a": 1}, {"b": 2}]})")
      .After(R"("baseTimeNanoseconds": 5)")
      .Text();
}

TEST(JsonScan, DamageStaysWhereItIs) {
  std::string text = ThreeEvents();
  const size_t at = text.find("\"b\"") - 2;
  text[at] = '?';
  const Scanned scanned(text);
  EXPECT_EQ(scanned.result.verdict, Verdict::kWhole);
  EXPECT_EQ(scanned.result.damaged_places, 1u);
  EXPECT_EQ(scanned.names, (std::vector<std::string>{"a", "c"}));
  EXPECT_NEAR(static_cast<double>(scanned.result.at), static_cast<double>(at), 2);
  EXPECT_EQ(Find(scanned.result.metadata.top, "baseTimeNanoseconds"), "5") << "what stands behind is found";
}

// Bug log row 106 on the way in, and values that are no JSON (row 107).
TEST(JsonScan, BugLog106_NamesThatNobodyEscapedSpoilTheirEventOnly) {
  for (const std::string broken : {"b\" quoted", "b\nnew line", "b\x01", "b\\", "b\\x", "b\\ud800"}) {
    std::string text = ThreeEvents();
    text.replace(text.find("\"b\""), 3, '"' + broken + '"');
    const Scanned scanned(text);
    EXPECT_EQ(scanned.result.verdict, Verdict::kWhole) << broken;
    EXPECT_GE(scanned.result.damaged_places, 1u) << broken;
    ASSERT_GE(scanned.names.size(), 2u) << broken;
    EXPECT_EQ(scanned.names.front(), "a");
    EXPECT_EQ(scanned.names.back(), "c") << broken;
  }
  std::string text = ThreeEvents();
  text.replace(text.find("\"b\""), 3, "inf");
  EXPECT_EQ(Scanned(text).names, (std::vector<std::string>{"a", "c"}));
}

TEST(JsonScan, DamageInAListWithinAnEventEndsNothingEarly) {
  std::string text = ThreeEvents();
  text.replace(text.find("{\"a\": 1}"), 8, "{\"a\"? 1}");
  text.insert(text.find("\n],"), ",\n" + std::string(R"({"name": "d"})"));
  const Scanned scanned(text);
  EXPECT_EQ(scanned.result.verdict, Verdict::kWhole);
  EXPECT_EQ(scanned.names.back(), "d");
  EXPECT_EQ(Find(scanned.result.metadata.top, "baseTimeNanoseconds"), "5");
}

TEST(JsonScan, DamageBehindWhichThereIsNoEventEndsTheReading) {
  std::string text = ThreeEvents();
  text.replace(text.find("\"c\""), 3, "?");
  const Scanned scanned(text.substr(0, text.find("\"list\"")) + "}}]}");
  EXPECT_EQ(scanned.result.verdict, Verdict::kDamaged);
  EXPECT_EQ(scanned.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(Scanned("{?}").result.verdict, Verdict::kDamaged);
}

TEST(JsonScan, WrongTypesAndDeepNestingAreNobodysMatter) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  const Scanned scanned(
      R"({"traceEvents": [1, "x", null, [{"name": "not an event"}], {"name": 7, "ts": true, "args": [1], "pid": {"a": 1}},)"
      R"({"name": "ok", "args": {"grid": "x", "block": [1, [2], {"a": 3}, "4", 5, 6], "stream": {"a": 1}}}, )" +
      deep + R"(], "deviceProperties": {"id": 1}, "distributedInfo": [1, {"rank": 1}]})");
  EXPECT_EQ(scanned.result.verdict, Verdict::kWhole);
  EXPECT_EQ(scanned.result.not_objects, 5u);
  ASSERT_EQ(scanned.names, (std::vector<std::string>{"7", "ok"}));
  EXPECT_EQ(scanned.events[1].shape[1], (std::array<uint32_t, 3>{1, 4, 5}));
  EXPECT_EQ(Find(scanned.result.metadata.distributed, "rank"), "");
}

TEST(JsonScan, NumbersStayTextsHoweverLarge) {
  const Scanned scanned(
      R"({"traceEvents": [{"name": "a", "ts": 123456789012345678901234567890, "dur": NaN, "pid": -1e5},
                           {"name": "b", "ts": Infinity, "dur": -0}]})");
  EXPECT_EQ(scanned.result.verdict, Verdict::kWhole);
  ASSERT_EQ(scanned.events.size(), 2u);
  EXPECT_EQ(scanned.events[0].ts, "123456789012345678901234567890");
  EXPECT_EQ(scanned.events[0].dur, "NaN");
  EXPECT_EQ(scanned.events[0].pid, "-1e5");
  EXPECT_EQ(scanned.events[1].dur, "-0");
}

TEST(JsonScan, EscapesAreResolved) {
  const Scanned scanned(R"({"traceEvents": [{"name": "a\"b\\c\nd\u00e9\ud83d\ude00", "cat": "k\u0065rnel"}]})");
  ASSERT_EQ(scanned.events.size(), 1u);
  EXPECT_EQ(scanned.names[0], "a\"b\\c\nd\xc3\xa9\xf0\x9f\x98\x80");
  EXPECT_EQ(scanned.events[0].cat, "kernel");
}

}  // namespace
}  // namespace slowtoken::importing
