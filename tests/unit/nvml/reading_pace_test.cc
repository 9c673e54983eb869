// How often a reading is taken after what it cost.
#include "nvml/reading_pace.h"

#include <gtest/gtest.h>

namespace slowtoken::nvml {
namespace {

constexpr uint64_t kFast = 100'000, kMiddling = 1'500'000, kSlow = 30'000'000;

// How many of `samples` it is due with, each taking `ns`.
int Taken(ReadingPace& pace, int samples, uint64_t ns, int result = kSuccess) {
  int taken = 0;
  for (int i = 0; i < samples; ++i) {
    if (!pace.Due()) continue;
    ++taken;
    pace.Took(ns, result);
  }
  return taken;
}

TEST(ReadingPace, AFastReadingIsTakenEachTime) {
  ReadingPace pace;
  EXPECT_EQ(Taken(pace, 100, kFast), 100);
  EXPECT_EQ(Taken(pace, 100, kMiddling), 100);
  EXPECT_FALSE(pace.slowed());
}

TEST(ReadingPace, ASlowOneEverLessOftenUpToOnceAMinute) {
  ReadingPace pace;
  EXPECT_EQ(Taken(pace, 1, kSlow), 1);
  EXPECT_TRUE(pace.slowed());
  EXPECT_EQ(Taken(pace, 1 + 2 + 4 + 8 + 16 + 32, kSlow), 5);
  EXPECT_EQ(Taken(pace, 10 * 64, kSlow), 10);
  EXPECT_FALSE(pace.given_up());
}

TEST(ReadingPace, ItComesBackWhenItIsFastAgain) {
  ReadingPace pace;
  Taken(pace, 200, kSlow);
  Taken(pace, 200, kFast);
  EXPECT_EQ(Taken(pace, 50, kFast), 50);
  EXPECT_FALSE(pace.slowed());
}

TEST(ReadingPace, WhatIsNotSupportedIsNeverAskedForAgain) {
  for (const int result : {kNotSupported, kNoPermission, kFunctionNotFound, kInvalidArgument}) {
    ReadingPace pace;
    EXPECT_EQ(Taken(pace, 100, kFast, result), 1) << result;
    EXPECT_TRUE(pace.given_up());
  }
}

TEST(ReadingPace, AnyOtherFailureIsTriedAgainRarely) {
  ReadingPace pace;
  EXPECT_EQ(Taken(pace, 64 * 10 + 63, kFast, /*NVML_ERROR_UNKNOWN*/ 999), 6 + 10);
  EXPECT_FALSE(pace.given_up());
}

}  // namespace
}  // namespace slowtoken::nvml
