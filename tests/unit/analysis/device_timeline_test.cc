#include "analysis/device_timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "../analysis/events.h"
#include "analysis/devices.h"
#include "analysis/request_presence.h"

namespace slowtoken::analysis {
namespace {

using Work = DeviceTimeline::Work;

struct Timeline {
  std::map<uint64_t, TimeNs> call_end;
  DeviceTimeline device{[this](uint64_t tag) { return call_end.contains(tag) ? call_end[tag] : TimeNs{0}; }};
};

TEST(DeviceTimeline, IdleBelongsToTheHostIfTheNextLaunchCameLater) {
  Timeline t;
  t.call_end = {{1, 900}, {2, 2500}, {3, 2600}};
  t.device.Add(1000, 2000, Work::kCompute, 1);
  t.device.Add(3000, 4000, Work::kCompute, 2);  // launched at 2500, after the GPU fell idle at 2000
  t.device.Add(4300, 5000, Work::kCompute, 3);  // already launched: it waited for something
  t.device.Finish(std::nullopt);
  EXPECT_EQ(t.device.busy_ns(), 2700u);
  EXPECT_EQ(t.device.idle_ns(), 1300u);
  EXPECT_EQ(t.device.idle_by(), (IdleBy{.host = 1000, .dependency = 300, .copy = 0, .no_work = std::nullopt}));
}

TEST(DeviceTimeline, CopiesAloneAreIdleByCopyAndStreamsOverlap) {
  Timeline t;
  t.call_end = {{1, 900}, {2, 900}, {3, 900}, {4, 900}};
  t.device.Add(1000, 2000, Work::kCompute, 1);
  t.device.Add(1500, 2500, Work::kCopy, 2);  // 500 ns of it alone
  t.device.Add(2600, 3000, Work::kCompute, 3);
  t.device.Add(2700, 3500, Work::kCompute, 4);  // another stream
  t.device.Finish(std::nullopt);
  EXPECT_EQ(t.device.busy_ns(), 1900u);
  EXPECT_EQ(t.device.idle_ns(), 600u);
  EXPECT_EQ(t.device.idle_by().copy, 500u);
  EXPECT_EQ(t.device.idle_by().dependency, 100u);
}

TEST(DeviceTimeline, NoWorkIsCutOutOfTheIdleTime) {
  Timeline t;
  t.call_end = {{1, 900}, {2, 190'000}};
  t.device.Add(1'000, 10'000, Work::kCompute, 1);
  t.device.Add(200'000, 210'000, Work::kCompute, 2);
  RequestPresence presence;
  presence.Add(testing::RequestRange(3, 180'000, 0));  // still open at the end
  presence.Add(testing::RequestRange(1, 500, 0));      // open at first, then closed
  presence.Add(testing::RequestRange(1, 500, 20'000));
  presence.Add(testing::RequestRange(2, 600, 15'000));
  t.device.Finish(presence.Absences());
  EXPECT_EQ(t.device.idle_ns(), 190'000u);
  EXPECT_EQ(t.device.idle_by(), (IdleBy{.host = 30'000, .dependency = 0, .copy = 0, .no_work = 160'000}));
}

TEST(DeviceTimeline, WhatLaunchedTheWorkMayBeUnknown) {
  Timeline t;
  t.device.Add(1000, 2000, Work::kCompute, 1);
  t.device.Add(3000, 4000, Work::kCompute, 2);
  t.device.Finish(std::nullopt);
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
    const Work work = random() % 4 == 0 ? Work::kCopy : Work::kCompute;
    t.call_end[static_cast<uint64_t>(i)] = 1;
    t.device.Add(start, end, work, static_cast<uint64_t>(i));
    for (TimeNs at = start; at < end; ++at) {
      any[at] = true;
      if (work == Work::kCompute) compute[at] = true;
      first = std::min(first, at);
      last = std::max(last, at + 1);
    }
  }
  t.device.Finish(std::nullopt);
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
  Devices devices(*dictionary, [](uint64_t) { return TimeNs{0}; });
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
  Devices devices(*dictionary, [](uint64_t) { return TimeNs{0}; });
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
  Devices devices(*dictionary, [](uint64_t) { return TimeNs{0}; });
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
  t.call_end = {{1, 900}, {3, 3'100}};
  t.device.Add(1000, 2000, Work::kCompute, 1);
  t.device.Add(2500, 3000, Work::kCompute, 2);  // 500 ns: nobody knows why
  t.device.Add(3200, 4000, Work::kCompute, 3);
  t.device.Finish(std::nullopt);
  EXPECT_EQ(t.device.idle_by(),
            (IdleBy{.host = 200, .dependency = 0, .copy = 0, .no_work = std::nullopt, .unknown = 500}));
  EXPECT_EQ(t.device.idle_ns(), 700u);
}

TEST(DeviceTimeline, WorkWaitsForItsCallASecondOfTheTraceAndNoLonger) {
  Timeline t;
  t.device.Add(1'000, 2'000, Work::kCompute, 1);
  t.device.Add(3'000, 4'000, Work::kCompute, 2);
  t.device.Advance(500'000'000);
  EXPECT_EQ(t.device.busy_ns(), 0u) << "neither call has come";
  t.call_end = {{1, 900}, {2, 2'500}};
  t.device.Advance(600'000'000);
  EXPECT_EQ(t.device.busy_ns(), 2'000u);
  t.call_end.clear();  // the launches have left: what was known stays known
  t.device.Add(5'000, 6'000, Work::kCompute, 3);
  t.device.Advance(1'000'006'000);
  EXPECT_EQ(t.device.busy_ns(), 3'000u) << "its call is not waited for any longer";
  t.device.Finish(std::nullopt);
  EXPECT_EQ(t.device.idle_by(),
            (IdleBy{.host = 1'000, .dependency = 0, .copy = 0, .no_work = std::nullopt, .unknown = 1'000}));
}

}  // namespace
}  // namespace slowtoken::analysis
