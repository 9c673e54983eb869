#include "base/settings.h"

#include <gtest/gtest.h>

namespace slowtoken::base {
namespace {

TEST(ParseDuration, NumberAndUnit) {
  EXPECT_EQ(ParseDuration("10us"), 10'000u);
  EXPECT_EQ(ParseDuration("500ms"), 500'000'000u);
  EXPECT_EQ(ParseDuration("1.5s"), 1'500'000'000u);
  EXPECT_EQ(ParseDuration("0.125ms"), 125'000u);
  EXPECT_EQ(ParseDuration("2m"), 120'000'000'000u);
  EXPECT_EQ(ParseDuration("1h"), 3'600'000'000'000u);
  EXPECT_EQ(ParseDuration("7d"), 7 * 86'400'000'000'000u);
  EXPECT_EQ(ParseDuration("0s"), 0u);
  EXPECT_EQ(ParseDuration("365d"), 365 * 86'400'000'000'000u);
}

TEST(ParseDuration, NothingElse) {
  for (const char* text : {"", "s", "5", "5 s", "5sec", "-5s", ".5s", "5.s", "1.2345s", "1e3s", "366d",
                           "9999999999999s", "999999999999d", "5ss"}) {
    EXPECT_EQ(ParseDuration(text), std::nullopt) << text;
  }
}

TEST(ParseShare, PercentOfOneCpu) {
  EXPECT_EQ(ParseShare("1%"), 10'000u);
  EXPECT_EQ(ParseShare("0.5%"), 5'000u);
  EXPECT_EQ(ParseShare("0.0001%"), 1u);
  EXPECT_EQ(ParseShare("150%"), 1'500'000u);
  EXPECT_EQ(ParseShare("off"), 0u);
  EXPECT_EQ(ParseShare("0"), 0u);
}

TEST(ParseShare, NothingElse) {
  for (const char* text :
       {"", "%", "1", "1.%", ".5%", "1 %", "-1%", "0.00001%", "10001%", "999999%", "1%%", "on", "1e1%"}) {
    EXPECT_FALSE(ParseShare(text).has_value()) << text;
  }
}

TEST(ParseSampling, OneInSoMany) {
  EXPECT_EQ(ParseSampling("iterations:1/10")->keep_one_in, 10u);
  EXPECT_FALSE(ParseSampling("iterations:1/10")->by_request);
  EXPECT_TRUE(ParseSampling("requests:1/1000000")->by_request);
}

TEST(ParseSampling, NothingElse) {
  for (const char* text :
       {"", "iterations", "iterations:10", "iterations:2/10", "iterations:1/", "iterations:1/0", "tokens:1/10",
        "requests:1/1000001", "requests:1/-3", "requests:1/1e3", "requests:1/10,", "requests:1/10,iterations:1/10"}) {
    EXPECT_FALSE(ParseSampling(text).has_value()) << text;
  }
}

TEST(NextSetting, TakesOneAfterTheOther) {
  std::string_view list = ",a:1,,b,c:2:3";
  Setting setting;
  ASSERT_TRUE(NextSetting(list, setting));
  EXPECT_EQ(setting.key, "a");
  EXPECT_EQ(setting.value, "1");
  ASSERT_TRUE(NextSetting(list, setting));
  EXPECT_EQ(setting.key, "b");
  EXPECT_EQ(setting.value, "");
  ASSERT_TRUE(NextSetting(list, setting));
  EXPECT_EQ(setting.value, "2:3");
  EXPECT_FALSE(NextSetting(list, setting));
}

TEST(ParseServiceLevels, EitherBothOrNone) {
  ServiceLevels levels;
  std::string_view wrong;
  EXPECT_TRUE(ParseServiceLevels("", levels, wrong));
  EXPECT_EQ(levels.ttft_ns, 0u);
  EXPECT_TRUE(ParseServiceLevels("ttft:500ms,itl:100ms", levels, wrong));
  EXPECT_EQ(levels.ttft_ns, 500'000'000u);
  EXPECT_EQ(levels.itl_ns, 100'000'000u);
  for (const char* text : {"ttft:fast", "tpot:1s", "ttft", "itl:0s", "ttft:500"}) {
    EXPECT_FALSE(ParseServiceLevels(text, levels, wrong)) << text;
  }
  EXPECT_FALSE(ParseServiceLevels("itl:1s,e2e:5s", levels, wrong));
  EXPECT_EQ(wrong, "e2e");
}

}  // namespace
}  // namespace slowtoken::base
