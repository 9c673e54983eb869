#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "analysis/log_histogram.h"
#include "analysis/samples.h"

namespace slowtoken::analysis {
namespace {

TEST(Samples, NearestRankOverEqualWeights) {
  Samples samples;
  for (uint64_t v = 100; v >= 1; --v) samples.Add(v);
  EXPECT_EQ(samples.Summarize(),
            (Summary{.count = 100, .mean_ns = 50, .p50_ns = 50, .p90_ns = 90, .p99_ns = 99, .max_ns = 100}));
}

TEST(Samples, OneSampleIsEveryQuantile) {
  Samples samples;
  samples.Add(7);
  EXPECT_EQ(samples.Summarize(), (Summary{1, 7, 7, 7, 7, 7}));
  EXPECT_EQ(Samples().Summarize(), Summary{});
}

// Speculative decoding: one gap of 40 that carried four tokens, one of 30 that carried one.
TEST(Samples, TokensAreWeighted) {
  Samples samples;
  samples.Add(10, 4, 40);
  samples.Add(30, 1, 30);
  EXPECT_EQ(samples.Summarize(),
            (Summary{.count = 5, .mean_ns = 14, .p50_ns = 10, .p90_ns = 30, .p99_ns = 30, .max_ns = 30}));
}

TEST(Samples, SumsSaturate) {
  Samples samples;
  samples.Add(~uint64_t{0});
  samples.Add(~uint64_t{0});
  EXPECT_EQ(samples.Summarize().max_ns, ~uint64_t{0});
  EXPECT_EQ(samples.Summarize().mean_ns, ~uint64_t{0} / 2);
}

TEST(LogHistogram, QuantilesAreWithinOneHundredth) {
  std::mt19937_64 random(5);
  std::lognormal_distribution<double> durations(9, 2);
  std::vector<uint64_t> values;
  LogHistogram histogram;
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(static_cast<uint64_t>(durations(random)));
    histogram.Add(values.back());
  }
  std::sort(values.begin(), values.end());
  for (const double q : {0.01, 0.5, 0.9, 0.99, 0.999}) {
    const double exact = static_cast<double>(values[static_cast<size_t>(std::ceil(q * 20'000)) - 1]);
    EXPECT_NEAR(static_cast<double>(histogram.Quantile(q)), exact, exact * 0.01 + 1) << q;
  }
  EXPECT_EQ(histogram.Quantile(1), values.back());
  EXPECT_EQ(histogram.min(), values.front());
}

TEST(LogHistogram, ConstantsAndSmallValuesAreExact) {
  LogHistogram constant;
  for (int i = 0; i < 10; ++i) constant.Add(123'456'789);
  EXPECT_EQ(constant.Quantile(0.5), 123'456'789u);
  LogHistogram small;
  for (uint64_t v = 0; v < 100; ++v) small.Add(v);
  EXPECT_EQ(small.Quantile(0.5), 49u);
}

TEST(LogHistogram, BugLog83_TheGreatestValueSaturatesTheSum) {
  LogHistogram histogram;
  histogram.Add(~uint64_t{0});
  histogram.Add(~uint64_t{0});
  EXPECT_EQ(histogram.sum(), ~uint64_t{0});
  EXPECT_EQ(histogram.Quantile(0.5), ~uint64_t{0});
  EXPECT_EQ(LogHistogram().Quantile(0.5), 0u);
}

}  // namespace
}  // namespace slowtoken::analysis
