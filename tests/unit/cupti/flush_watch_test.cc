#include "cupti/flush_watch.h"

#include <gtest/gtest.h>

namespace slowtoken::cupti {
namespace {

constexpr uint64_t kMillisecond = 1'000'000;

// Plays whole windows of equal flushes; how often growth was told.
int Windows(FlushWatch& watch, int windows, uint64_t cpu_ns, uint64_t bytes) {
  int told = 0;
  for (uint32_t i = 0; i < static_cast<uint32_t>(windows) * FlushWatch::kWindow; ++i) told += watch.Add(cpu_ns, bytes);
  return told;
}

TEST(FlushWatch, GrowthIsToldOnceAFactor) {
  FlushWatch watch;
  EXPECT_EQ(Windows(watch, 3, kMillisecond, 10'000), 0);
  EXPECT_EQ(Windows(watch, 3, 3 * kMillisecond, 10'000), 0);
  EXPECT_EQ(Windows(watch, 3, 5 * kMillisecond, 10'000), 1);
  EXPECT_NEAR(watch.growth(), 5, 0.01);
  EXPECT_EQ(Windows(watch, 3, 15 * kMillisecond, 10'000), 0) << "less than four times what was told";
  EXPECT_EQ(Windows(watch, 3, 25 * kMillisecond, 10'000), 1);
  EXPECT_EQ(watch.total_cpu_ns(), 3u * FlushWatch::kWindow * (1 + 3 + 5 + 15 + 25) * kMillisecond);
}

TEST(FlushWatch, MoreTrafficIsNoGrowth) {
  FlushWatch watch;
  EXPECT_EQ(Windows(watch, 1, kMillisecond, 10'000), 0);
  EXPECT_EQ(Windows(watch, 3, 40 * kMillisecond, 1'000'000), 0);
}

TEST(FlushWatch, WhatCostsNothingIsNotTold) {
  FlushWatch watch;
  EXPECT_EQ(Windows(watch, 1, 1'000, 0), 0);
  EXPECT_EQ(Windows(watch, 3, 100'000, 0), 0);
}

}  // namespace
}  // namespace slowtoken::cupti
