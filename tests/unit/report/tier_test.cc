// What a report says of engines that say little: the tier, what was inferred, and the step to the next tier.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/json.h"
#include "report/next_tier.h"
#include "report/text.h"
#include "scenario.h"

namespace slowtoken::report {
namespace {

using nlohmann::json;
using testing::JsonText;
using testing::Scenario;

// Launches, replays and kernels alone: 20 decodes by a graph, each read back.
v1::Report Unsaid(const Options& options, const char* package = nullptr) {
  Scenario scenario(options);
  testing::JoinedRun& analysis = scenario.events();
  if (package != nullptr) {
    const record::StringId name = scenario.dictionary()->InternText(package);
    analysis.On(record::Condition{name, scenario.dictionary()->InternText("1.0"), 1});
  }
  const record::LaneId lane = scenario.dictionary().Lane(7, 1);
  for (uint32_t i = 0; i < 20; ++i) {
    const record::TimeNs at = Scenario::kStart + 100'000'000 + i * record::TimeNs{2'000'000};
    analysis.On(testing::LaunchCall(2 * i + 1, at, at + 3'000, record::ApiClass::kGraphLaunch, 1));
    record::GraphLaunch replay;
    replay.start = at + 10'000;
    replay.end = at + 1'010'000;
    replay.graph_id = 4;
    replay.correlation = 2 * i + 1;
    replay.lane = lane;
    replay.process = 1;
    analysis.On(replay);
    analysis.On(testing::LaunchCall(2 * i + 2, at + 4'000, at + 5'000, record::ApiClass::kMemcpy, 1));
    record::Memcpy copy = testing::CopyAt(2 * i + 2, at + 1'011'000, at + 1'012'000, lane);
    copy.process = 1;
    analysis.On(copy);
  }
  return scenario.Build();
}

TEST(Tier, IterationsThatWereNotSaidAreInferredAndMarked) {
  const v1::Report report = Unsaid({.iterations = true});
  EXPECT_EQ(report.coverage().tier(), 0u);
  const json parsed = json::parse(JsonText(report, {.iterations = true}));
  const json& iterations = parsed["iterations"];
  EXPECT_EQ(iterations["count"], 20);
  EXPECT_EQ(iterations["graph"], 20);
  EXPECT_EQ(iterations["inferred"]["decode"], 20);
  EXPECT_EQ(iterations["inferred"]["between_decodes_ns"]["count"], 19);
  EXPECT_EQ(iterations["inferred"]["between_decodes_ns"]["p50_ns"], 2'000'000);
  EXPECT_EQ(iterations["gpu_ns"]["max_ns"], 1'000'000);
  EXPECT_EQ(iterations["list"][0]["inferred"], "decode");
  EXPECT_TRUE(iterations["list"][0]["prefill"].is_null());
  const json& missing = parsed["coverage"]["missing"];
  EXPECT_NE(std::find(missing.begin(), missing.end(), "iterations"), missing.end()) << missing;
}

TEST(Tier, TheFirstScreenSaysSo) {
  const std::string text = WriteText(Unsaid({}), {}, {});
  const std::string first = text.substr(0, text.find("\nIterations"));
  EXPECT_NE(first.find("tier 0 (kernels and launches only; iterations are INFERRED)"), std::string::npos) << text;
  EXPECT_NE(first.find("to see more: annotate the engine"), std::string::npos) << text;
  EXPECT_NE(text.find("Iterations (inferred): 20"), std::string::npos) << text;
  EXPECT_NE(text.find("so a guess: 20 decode"), std::string::npos) << text;
}

TEST(Tier, SaidIterationsAreNeverMixedWithInferredOnes) {
  const json whole = json::parse(JsonText(testing::Whole({.iterations = true}), {.iterations = true}));
  EXPECT_TRUE(whole["iterations"]["inferred"].is_null());
  EXPECT_TRUE(whole["iterations"]["list"][0]["inferred"].is_null());
  EXPECT_TRUE(whole["coverage"]["next_tier"].is_null()) << "there is none above 3";
}

TEST(Tier, TheNextStepIsTheEnginesOwn) {
  const std::pair<const char*, const char*> steps[] = {{"package.vllm", "docs/engines/vllm.md"},
                                                       {"package.sglang", "docs/engines/sglang.md"},
                                                       {"package.tensorrt-llm", "docs/engines/tensorrt-llm.md"},
                                                       {"package.lmdeploy", "docs/engines/lmdeploy.md"},
                                                       {"package.ai-dynamo", "docs/engines/dynamo.md"},
                                                       {"package.torch", "docs/engines/your-own.md"}};
  for (const auto& [package, page] : steps) {
    const std::string next = Unsaid({}, package).coverage().next_tier();
    EXPECT_NE(next.find(page), std::string::npos) << package << ": " << next;
    EXPECT_EQ(next.find('\n'), std::string::npos);
  }
}

TEST(Tier, EveryTierBelowTheHighestHasAStep) {
  v1::Coverage coverage;
  coverage.set_launches(1);
  for (uint32_t tier = 0; tier < 3; ++tier) {
    coverage.set_tier(tier);
    EXPECT_FALSE(NextTier(coverage, {}).empty()) << tier;
  }
  coverage.set_tier(3);
  EXPECT_EQ(NextTier(coverage, {}), "");
  EXPECT_EQ(NextTier({}, {}), "") << "where nothing was recorded, something else is wrong";
}

}  // namespace
}  // namespace slowtoken::report
