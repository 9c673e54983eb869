// The interval of a paired comparison: known cases, and how often it holds the truth on synthetic runs.
#include "analysis/paired_change.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace slowtoken::analysis {
namespace {

TEST(PairedChange, KnownNumbers) {
  const std::vector<MeasuredPair> pairs = {{1, 2}, {2, 4}, {4, 8}};
  const auto change = ComparePairs(pairs);
  ASSERT_TRUE(change.has_value());
  EXPECT_EQ(change->pairs, 3u);
  EXPECT_NEAR(change->before, 2, 1e-12);
  EXPECT_NEAR(change->after, 4, 1e-12);
  ASSERT_TRUE(change->relative.has_value());
  EXPECT_NEAR(change->relative->mean, 1, 1e-12);
  EXPECT_NEAR(change->relative->low, 1, 1e-12) << "all pairs agree";
  EXPECT_NEAR(change->relative->high, 1, 1e-12);
  // Differences 1, 2, 4: mean 7/3, s = 1.5275, half = 4.303 * s / sqrt(3).
  EXPECT_NEAR(change->difference.mean, 7.0 / 3, 1e-12);
  EXPECT_NEAR(change->difference.high - change->difference.mean, 4.303 * std::sqrt(7.0 / 9), 1e-9);
  EXPECT_NEAR(change->difference.mean - change->difference.low, 4.303 * std::sqrt(7.0 / 9), 1e-9);
}

TEST(PairedChange, LogRatiosAreWhatIsAveraged) {
  const std::vector<MeasuredPair> pairs = {{1, 2}, {2, 1}};
  EXPECT_NEAR(ComparePairs(pairs)->relative->mean, 0, 1e-12) << "twice and half weigh the same";
}

TEST(PairedChange, ValuesThatAreNotPositiveHaveNoRatio) {
  const std::vector<MeasuredPair> pairs = {{0, 1}, {3, 4}};
  const auto change = ComparePairs(pairs);
  EXPECT_FALSE(change->relative.has_value());
  EXPECT_EQ(change->before, 1.5);
  EXPECT_EQ(change->after, 2.5);
  EXPECT_EQ(change->difference.mean, 1);
  EXPECT_EQ(change->difference.low, 1);
}

TEST(PairedChange, OnePairGivesNoInterval) {
  EXPECT_FALSE(ComparePairs(std::vector<MeasuredPair>{{1, 2}}).has_value());
  EXPECT_FALSE(ComparePairs({}).has_value());
}

TEST(PairedChange, StudentsQuantiles) {
  EXPECT_EQ(StudentT975(1), 12.706);
  EXPECT_EQ(StudentT975(9), 2.262);
  EXPECT_EQ(StudentT975(30), 2.042);
  EXPECT_NEAR(StudentT975(35), 2.030, 0.001);
  EXPECT_NEAR(StudentT975(50), 2.009, 0.001);
  EXPECT_NEAR(StudentT975(80), 1.990, 0.001);
  EXPECT_NEAR(StudentT975(200), 1.972, 0.001);
  EXPECT_NEAR(StudentT975(100000), 1.960, 0.001);
}

using Noise = std::function<double(std::mt19937_64&)>;

// How often of 4000 comparisons the interval holds the true change. Runs stand in the order of the verb: ABBA or BAAB,
// with a drift of 1 % a run over all of them.
double Coverage(size_t pairs, double true_change, const Noise& noise) {
  constexpr int kTrials = 4000;
  std::mt19937_64 random(42);
  int held = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<MeasuredPair> measured(pairs);
    double run = 0;
    bool flip = false;
    for (size_t i = 0; i < pairs; ++i) {
      if (i % 2 == 0) flip = random() % 2 != 0;
      const bool before_first = (i % 2 == 0) != flip;
      for (const bool first : {true, false}) {
        const double base = 10 * (1 + 0.01 * run++) * std::exp(noise(random));
        (first == before_first ? measured[i].before : measured[i].after) =
            first == before_first ? base : base * (1 + true_change);
      }
    }
    const Interval interval = *ComparePairs(measured)->relative;
    held += interval.low <= true_change && true_change <= interval.high;
  }
  return static_cast<double>(held) / kTrials;
}

TEST(PairedChange, IntervalsHoldTheTruthAsOftenAsTheySay) {
  const Noise gaussian = [](std::mt19937_64& r) { return std::normal_distribution<double>(0, 0.03)(r); };
  for (const size_t pairs : {4u, 10u, 30u}) {
    EXPECT_GE(Coverage(pairs, 0.02, gaussian), 0.94) << pairs;
    EXPECT_LE(Coverage(pairs, 0.02, gaussian), 0.995) << pairs;
  }
}

TEST(PairedChange, IntervalsHoldTheTruthWithLongTails) {
  // A busy machine: now and then a run takes far longer.
  const Noise tails = [](std::mt19937_64& r) {
    const bool disturbed = r() % 8 == 0;
    return std::normal_distribution<double>(0, 0.01)(r) +
           (disturbed ? std::exponential_distribution<double>(5)(r) : 0.0);
  };
  EXPECT_GE(Coverage(10, 0.01, tails), 0.94);
  EXPECT_GE(Coverage(20, 0.01, tails), 0.94);
}

}  // namespace
}  // namespace slowtoken::analysis
