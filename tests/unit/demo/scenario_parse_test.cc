#include <gmock/gmock.h>

#include <map>
#include <set>
#include <string>

#include "scenario/parse.h"

namespace slowtoken::demo {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<Injection> Parsed(const std::string& text, uint64_t seed = 1) {
  absl::StatusOr<std::vector<Injection>> injections = ParseScenarios(text, seed);
  EXPECT_TRUE(injections.ok()) << injections.status();
  return injections.ok() ? *injections : std::vector<Injection>{};
}

std::string ScenarioError(const std::string& text) {
  const absl::StatusOr<std::vector<Injection>> injections = ParseScenarios(text, 1);
  EXPECT_TRUE(absl::IsInvalidArgument(injections.status())) << text;
  return std::string(injections.status().message());
}

TEST(ScenarioParse, ReadsNameVariantStartAndLength) {
  const std::vector<Injection> all = Parsed("host_paused:gc@2.5+0.125");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].scenario, Scenario::kHostPaused);
  EXPECT_EQ(all[0].variant, variant::kGc);
  EXPECT_EQ(all[0].start, 2'500'000'000);
  EXPECT_EQ(all[0].length, 125'000'000);
  EXPECT_EQ(all[0].serial, 1);
}

TEST(ScenarioParse, EveryCauseHasItsName) {
  for (size_t i = 0; i < kScenarios.size(); ++i) {
    const std::vector<Injection> all = Parsed(kScenarios[i].cause);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].scenario, static_cast<Scenario>(i));
    EXPECT_STREQ(all[0].kind().cause, kScenarios[i].cause);
  }
}

TEST(ScenarioParse, WhatIsLeftOutIsDrawnFromTheSeed) {
  const std::vector<Injection> first = Parsed("sampling*20", 7), again = Parsed("sampling*20", 7),
                               other = Parsed("sampling*20", 8);
  ASSERT_EQ(first.size(), 20u);
  std::set<TimeNs> lengths;
  std::set<int64_t> variants;
  bool differs = false;
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].length, again[i].length);
    EXPECT_EQ(first[i].variant, again[i].variant);
    EXPECT_EQ(first[i].start, kWhenDecoding);
    EXPECT_GE(first[i].length, 30'000'000);
    EXPECT_LT(first[i].length, 150'000'000);
    EXPECT_GE(first[i].pause, 50'000'000);
    differs = differs || first[i].length != other[i].length;
    lengths.insert(first[i].length);
    variants.insert(first[i].variant);
  }
  EXPECT_TRUE(differs);
  EXPECT_EQ(lengths.size(), 20u);
  EXPECT_EQ(variants.size(), 2u);
}

TEST(ScenarioParse, AMixTakesEveryCauseInTurn) {
  std::map<Scenario, int> counts;
  for (const Injection& injection : Parsed("mix:44")) ++counts[injection.scenario];
  EXPECT_EQ(counts.size(), kScenarios.size());
  for (const auto& [scenario, count] : counts) EXPECT_EQ(count, 2);
  for (const Injection& injection : Parsed("mix_stalls*30")) EXPECT_EQ(injection.kind().concerns, Concerns::kDecoding);
  for (const Injection& injection : Parsed("mix_first_tokens:30"))
    EXPECT_EQ(injection.kind().concerns, Concerns::kFirstToken);
}

TEST(ScenarioParse, ThoseWithAStartComeFirstInTheirOrder) {
  const std::vector<Injection> all = Parsed("sampling,gpu_slow@3,backlog@1+0.1,preempted");
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].scenario, Scenario::kBacklog);
  EXPECT_EQ(all[1].scenario, Scenario::kGpuSlow);
  EXPECT_EQ(all[2].scenario, Scenario::kSampling);
  EXPECT_EQ(all[3].scenario, Scenario::kPreempted);
  EXPECT_EQ(all[3].serial, 4);
}

TEST(ScenarioParse, WhatIsWrongIsSaidInOneLine) {
  EXPECT_THAT(ScenarioError("slow_disk"), HasSubstr("no such cause to inject; there are: mix, "));
  EXPECT_THAT(ScenarioError("profiler"), HasSubstr("no such cause"));
  EXPECT_THAT(ScenarioError("unknown"), HasSubstr("no such cause"));
  EXPECT_THAT(ScenarioError("sampling,"), HasSubstr("no such cause"));
  EXPECT_THAT(ScenarioError("sampling:fpga"), HasSubstr("the variants of sampling are: cpu gpu"));
  EXPECT_THAT(ScenarioError("backlog:gpu"), HasSubstr("backlog has no variants"));
  EXPECT_THAT(ScenarioError("sampling@soon"), HasSubstr("'soon' is not a number of seconds"));
  EXPECT_THAT(ScenarioError("sampling@-1"), HasSubstr("is not a number of seconds"));
  EXPECT_THAT(ScenarioError("sampling@nan"), HasSubstr("is not a number of seconds"));
  EXPECT_THAT(ScenarioError("sampling@1+"), HasSubstr("is not a number of seconds"));
  EXPECT_THAT(ScenarioError("sampling@1+11"), HasSubstr("from 0 to 10"));
  EXPECT_THAT(ScenarioError("sampling+0"), HasSubstr("at least 0.001 s"));
  EXPECT_THAT(ScenarioError("sampling*0"), HasSubstr("is not a count from 1 to 10000"));
  EXPECT_THAT(ScenarioError("mix:many"), HasSubstr("'many' is not a count"));
  for (const char* wrong : {"x", "sampling:y", "sampling@z", "mix:0"})
    EXPECT_THAT(ScenarioError(wrong), Not(HasSubstr("\n")));
}

TEST(ScenarioParse, HelpNamesCausesAndVariants) {
  const std::string help = DescribeScenarios();
  for (const ScenarioKind& kind : kScenarios) EXPECT_THAT(help, HasSubstr(kind.cause));
  EXPECT_THAT(help, HasSubstr("host_paused (lock gc starved throttled)"));
}

}  // namespace
}  // namespace slowtoken::demo
