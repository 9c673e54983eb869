#include "analysis/device_timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "../analysis/events.h"
#include "analysis/devices.h"
#include "analysis/request_presence.h"

namespace slowtoken::analysis {
namespace {

using SpanKind = DeviceTimeline::Kind;

struct Timeline {
  LaunchPlaces places;
  DeviceTimeline device{places};

  // `call_end`: 0 = its call was not recorded. Thread 1 calls for 100 ns.
  void Add(TimeNs start, TimeNs end, SpanKind kind, TimeNs call_end, record::LaneId lane = 0) {
    const TimeNs call_start = call_end > 100 ? call_end - 100 : call_end;
    device.Add({start, end, {.call_start = call_start, .call_end = call_end, .thread = 1}, lane, kind});
  }
  void Finish(const std::optional<std::vector<IntervalUnion::Gap>>& no_request) {
    device.Close();
    places.ranges().Finish();
    device.Finish(no_request);
  }
};

TEST(DeviceTimeline, IdleBelongsToTheHostIfTheNextLaunchCameLater) {
  Timeline t;
  t.Add(1000, 2000, SpanKind::kCompute, 900);
  t.Add(3000, 4000, SpanKind::kCompute, 2500);  // launched at 2500, after the GPU fell idle at 2000
  t.Add(4300, 5000, SpanKind::kCompute, 2600);  // already launched: it waited for something
  t.Finish(std::nullopt);
  EXPECT_EQ(t.device.busy_ns(), 2700u);
  EXPECT_EQ(t.device.idle_ns(), 1300u);
  EXPECT_EQ(t.device.idle_by(), (IdleBy{.host = 1000, .dependency = 300, .copy = 0, .no_work = std::nullopt}));
}

TEST(DeviceTimeline, CopiesAloneAreIdleByCopyAndStreamsOverlap) {
  Timeline t;
  t.Add(1000, 2000, SpanKind::kCompute, 900);
  t.Add(1500, 2500, SpanKind::kCopy, 900);  // 500 ns of it alone
  t.Add(2600, 3000, SpanKind::kCompute, 900);
  t.Add(2700, 3500, SpanKind::kCompute, 900);  // another stream
  t.Finish(std::nullopt);
  EXPECT_EQ(t.device.busy_ns(), 1900u);
  EXPECT_EQ(t.device.idle_ns(), 600u);
  EXPECT_EQ(t.device.idle_by().copy, 500u);
  EXPECT_EQ(t.device.idle_by().dependency, 100u);
}

TEST(DeviceTimeline, NoWorkIsCutOutOfTheIdleTime) {
  Timeline t;
  t.Add(1'000, 10'000, SpanKind::kCompute, 900);
  t.Add(200'000, 210'000, SpanKind::kCompute, 190'000);
  RequestPresence presence;
  presence.Add(testing::RequestRange(3, 180'000, 0));  // still open at the end
  presence.Add(testing::RequestRange(1, 500, 0));      // open at first, then closed
  presence.Add(testing::RequestRange(1, 500, 20'000));
  presence.Add(testing::RequestRange(2, 600, 15'000));
  t.Finish(presence.Absences());
  EXPECT_EQ(t.device.idle_ns(), 190'000u);
  EXPECT_EQ(t.device.idle_by(), (IdleBy{.host = 30'000, .dependency = 0, .copy = 0, .no_work = 160'000}));
  ASSERT_EQ(t.device.LongHostIdle().size(), 2u) << "before the requests were over, and when one was there again";
  EXPECT_EQ(t.device.LongHostIdle()[0].start, 10'000u);
  EXPECT_EQ(t.device.LongHostIdle()[0].end, 20'000u);
  EXPECT_EQ(t.device.LongHostIdle()[1].start, 180'000u);
  EXPECT_EQ(t.device.LongHostIdle()[1].end, 200'000u);
}

TEST(DeviceTimeline, WhatLaunchedTheWorkMayBeUnknown) {
  Timeline t;
  t.Add(1000, 2000, SpanKind::kCompute, 0);
  t.Add(3000, 4000, SpanKind::kCompute, 0);
  t.Finish(std::nullopt);
  EXPECT_EQ(t.device.idle_ns(), 1000u);
  EXPECT_EQ(t.device.idle_by(),
            (IdleBy{.host = 0, .dependency = 0, .copy = 0, .no_work = std::nullopt, .unknown = 1000}));
}

// Against one flag for every nanosecond, with records out of order across the batch limit.
TEST(DeviceTimeline, BugLog115_BusyTimeEqualsABruteForceUnion) {
  std::mt19937 random(11);
  Timeline t;
  constexpr TimeNs kSize = 200'000;
  std::vector<bool> compute(kSize), any(kSize);
  TimeNs first = kSize, last = 0;
  for (int i = 0; i < 10'000; ++i) {
    const TimeNs start = 1 + std::min<TimeNs>(kSize - 100, static_cast<TimeNs>(i) * 20 + random() % 500);
    const TimeNs end = start + random() % 30;
    const SpanKind kind = random() % 4 == 0 ? SpanKind::kCopy : SpanKind::kCompute;
    t.Add(start, end, kind, 1);
    for (TimeNs at = start; at < end; ++at) {
      any[at] = true;
      if (kind == SpanKind::kCompute) compute[at] = true;
      first = std::min(first, at);
      last = std::max(last, at + 1);
    }
  }
  t.Finish(std::nullopt);
  const auto count = [](const std::vector<bool>& flags) {
    return static_cast<uint64_t>(std::count(flags.begin(), flags.end(), true));
  };
  EXPECT_EQ(t.device.busy_ns(), count(compute));
  EXPECT_EQ(t.device.span_ns(), last - first);
  EXPECT_EQ(t.device.idle_by().copy, count(any) - count(compute));
  EXPECT_EQ(t.device.idle_by().dependency, last - first - count(any));
  EXPECT_EQ(t.device.idle_by().host, 0u);
}

TEST(Devices, ProcessesThatShareADeviceShareItsTimeline) {
  testing::TestDictionary dictionary;
  LaunchPlaces places;
  Devices devices(*dictionary, places);
  devices.Add(testing::DeviceOf(0xAB, 0, 0));
  devices.Add(testing::DeviceOf(0xAB, 3, 1));
  DeviceTimeline& first = devices.TimelineOf(dictionary.Lane(7, 0, 0));
  DeviceTimeline& second = devices.TimelineOf(dictionary.Lane(7, 1, 3));
  EXPECT_EQ(&first, &second);
  ASSERT_EQ(devices.all().size(), 1u);
  EXPECT_EQ(devices.all()[0].uuid, "GPU-abababab-abab-abab-abab-abababababab");
}

TEST(Devices, AUuidThatComesLateNamesTheWorkThatCameFirst) {
  testing::TestDictionary dictionary;
  LaunchPlaces places;
  Devices devices(*dictionary, places);
  DeviceTimeline& before = devices.TimelineOf(dictionary.Lane(7, 2, 1));
  EXPECT_EQ(devices.all()[0].uuid, "unknown-2-1");
  record::DeviceInfo info = testing::DeviceOf(0x01, 1, 2);
  info.is_mig = true;
  devices.Add(info);
  EXPECT_EQ(devices.all()[0].uuid, "MIG-01010101-0101-0101-0101-010101010101");
  EXPECT_TRUE(devices.all()[0].mig);
  EXPECT_EQ(&before, &devices.TimelineOf(dictionary.Lane(8, 2, 1)));
}

TEST(Devices, DevicesWhoseUuidIsNotKnownAreTheirProcessesOwnAndKeepTheirName) {
  testing::TestDictionary dictionary;
  LaunchPlaces places;
  Devices devices(*dictionary, places);
  for (record::ProcessIndex process = 0; process < 2; ++process) {
    record::DeviceInfo info = testing::DeviceOf(0, 0, process);
    info.name = dictionary->InternText("A100");
    devices.Add(info);
  }
  EXPECT_NE(&devices.TimelineOf(dictionary.Lane(7, 0, 0)), &devices.TimelineOf(dictionary.Lane(7, 1, 0)));
  ASSERT_EQ(devices.all().size(), 2u);
  EXPECT_EQ(devices.all()[1].uuid, "unknown-1-0");
  EXPECT_EQ(devices.all()[1].name, "A100");
}

TEST(DeviceTimeline, AnIdleIntervalEndedByWorkWithoutALaunchIsUnknownAndTheFiveAddUp) {
  Timeline t;
  t.Add(1000, 2000, SpanKind::kCompute, 900);
  t.Add(2500, 3000, SpanKind::kCompute, 0);  // 500 ns: nobody knows why
  t.Add(3200, 4000, SpanKind::kCompute, 3'100);
  t.Finish(std::nullopt);
  EXPECT_EQ(t.device.idle_by(),
            (IdleBy{.host = 200, .dependency = 0, .copy = 0, .no_work = std::nullopt, .unknown = 500}));
  EXPECT_EQ(t.device.idle_ns(), 700u);
}

}  // namespace
}  // namespace slowtoken::analysis
