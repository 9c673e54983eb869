// Buckets, histograms and running medians.
#include "attribution/histogram.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "attribution/running_median.h"

namespace slowtoken::attribution::testing {
namespace {

TEST(Histogram, BucketsAreContiguousAndNarrow) {
  for (uint32_t i = 0; i + 1 < kHistogramBuckets; ++i) {
    ASSERT_EQ(BucketIndex(BucketLow(i)), i);
    ASSERT_EQ(BucketIndex(BucketLow(i + 1) - 1), i);
    const double width = static_cast<double>(BucketLow(i + 1) - BucketLow(i));
    ASSERT_TRUE(width == 1 || width / static_cast<double>(BucketLow(i)) <= 1.0 / 64);
  }
  EXPECT_EQ(BucketIndex(kHistogramMax), kHistogramBuckets - 1);
  EXPECT_EQ(BucketIndex(UINT64_MAX), kHistogramBuckets - 1);
}

TEST(Histogram, MiddleIsWithinEightTenthsOfAPercent) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    const uint64_t value = random() % (uint64_t{1} << (1 + random() % 45));
    const double middle = static_cast<double>(BucketMiddle(BucketIndex(value)));
    ASSERT_LE(std::abs(middle - static_cast<double>(value)), 0.008 * static_cast<double>(value) + 0.01) << value;
  }
}

class RunningMedianTest : public ::testing::Test {
 protected:
  RunningMedianTest() { EXPECT_TRUE(arena_.Reserve(1 << 20, false)); }
  ~RunningMedianTest() override { arena_.Release(); }
  base::Arena arena_;
};

TEST_F(RunningMedianTest, HistogramKeepsCountSumAndMaximum) {
  Histogram histogram;
  ASSERT_TRUE(histogram.Init(arena_));
  histogram.Add(100);
  histogram.Add(7000, 3);
  EXPECT_EQ(histogram.count(), 4u);
  EXPECT_EQ(histogram.sum(), 21100u);
  EXPECT_EQ(histogram.max(), 7000u);
  EXPECT_EQ(histogram.counts()[BucketIndex(7000)], 3u);
}

TEST_F(RunningMedianTest, FollowsTheTrueMedian) {
  RunningMedian median;
  ASSERT_TRUE(median.Init(arena_));
  EXPECT_EQ(median.value(), 0u);
  std::mt19937_64 random(2);
  std::vector<uint64_t> values;
  for (int i = 0; i < 3000; ++i) {
    values.push_back(random() % 10'000'000);
    median.Add(values.back());
    std::vector<uint64_t> sorted = values;
    const auto middle = sorted.begin() + static_cast<ptrdiff_t>((sorted.size() + 1) / 2 - 1);
    std::nth_element(sorted.begin(), middle, sorted.end());
    ASSERT_NEAR(static_cast<double>(median.value()), static_cast<double>(*middle),
                0.008 * static_cast<double>(*middle) + 1);
  }
  EXPECT_EQ(median.samples(), 3000u);
}

TEST_F(RunningMedianTest, OldSamplesFade) {
  RunningMedian median;
  ASSERT_TRUE(median.Init(arena_));
  for (int i = 0; i < 20000; ++i) median.Add(1000);
  for (int i = 0; i < 4000; ++i) median.Add(5000);
  EXPECT_NEAR(static_cast<double>(median.value()), 5000, 40);
}

TEST_F(RunningMedianTest, ZerosAreSamples) {
  RunningMedian median;
  ASSERT_TRUE(median.Init(arena_));
  for (const uint64_t value : {0, 0, 0, 500, 900}) median.Add(value);
  EXPECT_EQ(median.value(), 0u);
}

}  // namespace
}  // namespace slowtoken::attribution::testing
