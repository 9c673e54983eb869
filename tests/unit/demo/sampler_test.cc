#include "core/sampler.h"

#include <gmock/gmock.h>

#include <map>
#include <string>

namespace slowtoken::demo {
namespace {

using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::Le;
using ::testing::SizeIs;

const std::vector<Logit> kFlat = {{0, 1}, {0, 2}, {0, 3}, {0, 4}};

Config WithStop(int64_t permille) {
  Config config;
  config.stop_permille = permille;
  return config;
}

TEST(Sampler, SameSeedSameTokens) {
  const Config config = WithStop(0);
  const Sampler first(config, 1), again(config, 1), other(config, 2);
  int differs = 0;
  for (int64_t n = 0; n < 100; ++n) {
    EXPECT_EQ(first.Sample("r", n, false, kFlat), again.Sample("r", n, false, kFlat));
    differs += first.Sample("r", n, false, kFlat) != other.Sample("r", n, false, kFlat);
  }
  EXPECT_GT(differs, 50);
}

TEST(Sampler, FollowsTheLogits) {
  const Config config = WithStop(0);
  const Sampler sampler(config, 1);
  const std::vector<Logit> peaked = {{0, 1}, {50, 2}, {0, 3}};
  std::map<int32_t, int> flat;
  for (int64_t n = 0; n < 4000; ++n) {
    EXPECT_THAT(sampler.Sample("r", n, false, peaked), ElementsAre(2));
    ++flat[sampler.Sample("r", n, false, kFlat).front()];
  }
  ASSERT_THAT(flat, SizeIs(4));
  for (const auto& [token, count] : flat) EXPECT_NEAR(count, 1000, 150) << token;
}

TEST(Sampler, StopTokenOnlyAsOftenAsConfigured) {
  const Config never = WithStop(0), always = WithStop(1000), rarely = WithStop(20);
  int stops = 0;
  const std::vector<Logit> stop_is_likely = {{50, kStopToken}};
  for (int64_t n = 0; n < 5000; ++n) {
    EXPECT_NE(Sampler(never, 1).Sample("r", n, false, stop_is_likely).front(), kStopToken);
    EXPECT_EQ(Sampler(always, 1).Sample("r", n, false, kFlat).front(), kStopToken);
    stops += Sampler(rarely, 1).Sample("r", n, false, kFlat).front() == kStopToken;
  }
  EXPECT_NEAR(stops, 100, 40);
}

TEST(Sampler, VerifyAcceptsDraftTokens) {
  Config config = WithStop(0);
  config.speculative_tokens = 3;
  config.accept_permille = 0;
  EXPECT_THAT(Sampler(config, 1).Sample("r", 5, true, kFlat), SizeIs(1));
  config.accept_permille = 1000;
  EXPECT_THAT(Sampler(config, 1).Sample("r", 5, true, kFlat), SizeIs(4));
  EXPECT_THAT(Sampler(config, 1).Sample("r", 5, false, kFlat), SizeIs(1));
  config.accept_permille = 500;
  std::map<size_t, int> lengths;
  for (int64_t n = 0; n < 2000; ++n) ++lengths[Sampler(config, 1).Sample("r", n, true, kFlat).size()];
  EXPECT_THAT(lengths, SizeIs(4));
  EXPECT_NEAR(lengths[1], 1000, 150);
  EXPECT_NEAR(lengths[4], 250, 80);
}

TEST(Sampler, AStopTokenEndsTheAcceptedTokens) {
  Config config = WithStop(300);
  config.speculative_tokens = 5;
  config.accept_permille = 1000;
  int stopped = 0;
  for (int64_t n = 0; n < 500; ++n) {
    const std::vector<int32_t> tokens = Sampler(config, 1).Sample("r", n, true, kFlat);
    ASSERT_THAT(tokens.size(), testing::AllOf(Ge(1u), Le(6u)));
    for (size_t i = 0; i + 1 < tokens.size(); ++i) EXPECT_NE(tokens[i], kStopToken);
    stopped += tokens.size() < 6;
  }
  EXPECT_GT(stopped, 250);
}

}  // namespace
}  // namespace slowtoken::demo
