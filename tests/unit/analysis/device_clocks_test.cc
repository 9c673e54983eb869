// Samples of a device over a recording.
#include "analysis/device_clocks.h"

#include <gtest/gtest.h>

#include "../times.h"
#include "events.h"

namespace slowtoken::analysis {
namespace {

const std::string kUuid = "GPU-5a000000-0000-0000-0000-000000000000";

record::DeviceInfo DeviceInfoOf(record::ProcessIndex process, uint32_t ordinal) {
  record::DeviceInfo info;
  info.uuid[0] = 0x5a;
  info.ordinal = ordinal;
  info.process = process;
  return info;
}

record::DeviceSample At(record::TimeNs time, uint32_t mhz, uint64_t reasons, record::ProcessIndex process = 0,
                        uint32_t ordinal = 0) {
  record::DeviceSample sample;
  sample.time = time;
  sample.sm_clock_mhz = mhz;
  sample.throttle_reasons = reasons;
  sample.present = record::kSampleSmClock | record::kSampleThrottle;
  sample.device = ordinal;
  sample.process = process;
  return sample;
}

TEST(DeviceClocks, SpreadsAndThrottledTime) {
  DeviceClocks clocks;
  clocks.Add(DeviceInfoOf(0, 0));
  clocks.Add(At(10 * kSecond, 1980, 0x1));
  clocks.Add(At(11 * kSecond, 1410, 0x4 | 0x40));
  clocks.Add(At(12 * kSecond, 1200, 0x4));
  clocks.Add(At(13 * kSecond, 1980, 0));
  const auto summary = clocks.Of(kUuid);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->samples, 4u);
  EXPECT_EQ(summary->sm_clock_mhz.least, 1200u);
  EXPECT_EQ(summary->sm_clock_mhz.greatest, 1980u);
  EXPECT_EQ(summary->sm_clock_mhz.Mean(), (1980u + 1410 + 1200 + 1980) / 4);
  EXPECT_EQ(summary->power_mw.count, 0u) << "absent, not zero";
  EXPECT_EQ(summary->throttled_ns,
            (std::map<std::string, uint64_t>{{"power_cap", 2 * kSecond}, {"hardware_thermal", kSecond}}));
  EXPECT_EQ(summary->slowed_ns, 2 * kSecond) << "an idle GPU is not throttled, and reasons overlap";
  EXPECT_EQ(summary->throttle_known_ns, 3 * kSecond);
}

TEST(DeviceClocks, ASampleStandsForTwoSecondsAtMost) {
  DeviceClocks clocks;
  clocks.Add(DeviceInfoOf(0, 0));
  clocks.Add(At(10 * kSecond, 1410, 0x4));
  clocks.Add(At(100 * kSecond, 1410, 0x4));
  EXPECT_EQ(clocks.Of(kUuid)->slowed_ns, 2 * kSecond);
}

TEST(DeviceClocks, OfSeveralProcessesThatSampledItOneCounts) {
  DeviceClocks clocks;
  clocks.Add(DeviceInfoOf(0, 0));
  clocks.Add(DeviceInfoOf(1, 3));
  clocks.Add(At(10 * kSecond, 1000, 0));
  clocks.Add(At(10 * kSecond, 1500, 0, 1, 3));
  clocks.Add(At(11 * kSecond, 1500, 0, 1, 3));
  EXPECT_EQ(clocks.Of(kUuid)->samples, 2u);
  EXPECT_EQ(clocks.Of(kUuid)->sm_clock_mhz.least, 1500u);
}

TEST(DeviceClocks, WithoutSamplesOrADeviceThereIsNothing) {
  DeviceClocks clocks;
  clocks.Add(DeviceInfoOf(0, 0));
  EXPECT_FALSE(clocks.Of(kUuid));
  clocks.Add(At(10 * kSecond, 1000, 0, 7));
  EXPECT_FALSE(clocks.Of(kUuid)) << "of a device of which nothing else is known";
}

}  // namespace
}  // namespace slowtoken::analysis
