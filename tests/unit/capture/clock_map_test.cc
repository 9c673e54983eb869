#include "capture/clock_map.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "../times.h"

namespace slowtoken::capture {
namespace {

record::ClockSnapshot Snapshot(uint64_t monotonic, uint64_t realtime, uint64_t tsc, uint64_t cupti = 0) {
  record::ClockSnapshot s;
  s.monotonic = monotonic;
  s.realtime = realtime;
  s.tsc = tsc;
  s.cupti = cupti;
  return s;
}

TEST(ClockMap, BeforeAnySnapshotTimesAreUnknown) {
  ClockMap map;
  EXPECT_EQ(map.FromTsc(5), 0u);
  EXPECT_EQ(map.FromCupti(5), 0u);
}

TEST(ClockMap, TscIsLinearThroughTheSnapshots) {
  if (!ClockMap::TscUsable()) GTEST_SKIP() << "the TSC is not the kernel's clock here: stamps are CLOCK_MONOTONIC";
  ClockMap map;
  map.AddSnapshot(Snapshot(1'000'000, 0, 3'000'000));
  map.AddSnapshot(Snapshot(2'000'000, 0, 6'000'000));
  EXPECT_EQ(map.FromTsc(3'000'000), 1'000'000u);
  EXPECT_EQ(map.FromTsc(4'500'000), 1'500'000u);
  EXPECT_EQ(map.FromTsc(6'300'000), 2'100'000u) << "after the newest snapshot";
  EXPECT_EQ(map.FromTsc(2'700'000), 900'000u) << "before the first";
  EXPECT_EQ(map.FromTsc(0), 0u) << "0 is no stamp";
}

TEST(ClockMap, ALengthIsThatOfTheLineBetweenTheSnapshots) {
  ClockMap map;
  map.AddSnapshot(Snapshot(1'000'000, 0, 3'000'000));
  map.AddSnapshot(Snapshot(2'000'000, 0, 6'000'000));
  EXPECT_EQ(map.Length(0), 0u);
  EXPECT_EQ(map.Length(3'000), ClockMap::TscUsable() ? 1'000u : 3'000u);
}

// Bug log row 92: ticks near 2^60 lose bits in a double.
TEST(ClockMap, BugLog92_TicksNearTwoToTheSixtyKeepTheirNanoseconds) {
  if (!ClockMap::TscUsable()) GTEST_SKIP() << "the TSC is not the kernel's clock here";
  const uint64_t base = 1ull << 60;
  ClockMap map;
  map.AddSnapshot(Snapshot(1'000, 0, base));
  map.AddSnapshot(Snapshot(1'000'001'000, 0, base + 1'000'000'000));
  EXPECT_EQ(map.FromTsc(base + 1), 1'001u);
  EXPECT_EQ(map.FromTsc(base + 999'999'999), 1'000'000'999u);
}

TEST(ClockMap, CuptiTimesFollowTheWallClocksSteps) {
  ClockMap map;
  map.AddSnapshot(Snapshot(1'000, 900'000, 1));
  map.AddSnapshot(Snapshot(2'000, 901'000, 2));
  map.AddSnapshot(Snapshot(3'000, 952'000, 3));  // the wall clock stepped forward by 50,000 ns
  EXPECT_EQ(map.FromCupti(900'500), 1'500u);
  EXPECT_EQ(map.FromCupti(901'500), 2'500u);
  EXPECT_EQ(map.FromCupti(952'700), 3'700u);
  EXPECT_EQ(map.FromCupti(899'000), 0u) << "a stamp from before CLOCK_MONOTONIC began is no time";
}

// Whatever SpanOf says of a whole stretch must be what FromCupti says of each stamp in it.
TEST(ClockMap, ASpanHoldsForEachOfItsStamps) {
  ClockMap map;
  map.AddSnapshot(Snapshot(1'000, 900'000, 1));
  map.AddSnapshot(Snapshot(2'000, 952'000, 2));  // the wall clock stepped forward
  map.AddSnapshot(Snapshot(3'000, 920'000, 3));  // and back
  for (uint64_t stamp : {899'500u, 900'000u, 910'000u, 919'999u, 920'000u, 952'000u, 999'000u}) {
    const ClockMap::CuptiSpan span = map.SpanOf(stamp);
    EXPECT_LE(span.begin, stamp);
    EXPECT_GT(span.end, stamp);
    for (uint64_t other : {span.begin, stamp, span.end - 1}) {
      if (other == 0 || other > 2'000'000) continue;
      EXPECT_EQ(map.FromCupti(other), other + span.offset) << stamp << " " << other;
    }
  }
  EXPECT_EQ(map.SpanOf(930'000).begin, 920'000u);
  EXPECT_EQ(map.SpanOf(910'000).end, 920'000u);
}

record::ClockSnapshot Asleep(uint64_t monotonic, uint64_t boottime, uint64_t tsc) {
  record::ClockSnapshot s = Snapshot(monotonic, 0, tsc);
  s.boottime = boottime;
  return s;
}

// One tick is a third of a nanosecond. The machine sleeps for an hour between the second and the third snapshot.
TEST(ClockMap, SuspendWithATscThatGoesOnKeepsTimesOnBothSides) {
  if (!ClockMap::TscUsable()) GTEST_SKIP() << "the TSC is not the kernel's clock here";
  constexpr uint64_t kHour = 3'600'000'000'000;
  ClockMap map;
  map.AddSnapshot(Asleep(1000 * kMs, 1000 * kMs, 3 * 1000 * kMs));
  map.AddSnapshot(Asleep(2000 * kMs, 2000 * kMs, 3 * 2000 * kMs));
  map.AddSnapshot(Asleep(2500 * kMs, 2500 * kMs + kHour, 3 * (2500 * kMs + kHour)));
  EXPECT_EQ(map.FromTsc(3 * 2100 * kMs), 2100 * kMs) << "before it slept";
  EXPECT_EQ(map.FromTsc(3 * (2400 * kMs + kHour)), 2400 * kMs) << "after it woke";
  map.AddSnapshot(Asleep(2700 * kMs, 2700 * kMs + kHour, 3 * (2700 * kMs + kHour)));
  EXPECT_EQ(map.FromTsc(3 * (2800 * kMs + kHour)), 2800 * kMs) << "the hour is in no slope";
}

TEST(ClockMap, SuspendWithATscThatStartsOverKeepsTimesOnBothSides) {
  if (!ClockMap::TscUsable()) GTEST_SKIP() << "the TSC is not the kernel's clock here";
  ClockMap map;
  map.AddSnapshot(Asleep(1000 * kMs, 1000 * kMs, 3 * 1000 * kMs));
  map.AddSnapshot(Asleep(2000 * kMs, 2000 * kMs, 3 * 2000 * kMs));
  map.AddSnapshot(Asleep(2500 * kMs, 9000 * kMs, 3 * 100 * kMs));
  EXPECT_EQ(map.FromTsc(3 * 2050 * kMs), 2050 * kMs) << "before it slept";
  EXPECT_EQ(map.FromTsc(3 * 200 * kMs), 2600 * kMs) << "after it woke";
}

// Both clocks are never read at the same instant: a preempted reader is no suspend.
TEST(ClockMap, AFewMillisecondsBetweenTwoReadingsAreNoSuspend) {
  if (!ClockMap::TscUsable()) GTEST_SKIP() << "the TSC is not the kernel's clock here";
  ClockMap map;
  map.AddSnapshot(Asleep(1000 * kMs, 1000 * kMs, 3 * 1000 * kMs));
  map.AddSnapshot(Asleep(2000 * kMs, 2008 * kMs, 3 * 2000 * kMs));
  EXPECT_EQ(map.FromTsc(3 * 1500 * kMs), 1500 * kMs);
}

// The same step backwards (an NTP correction): only stamps of before the step that had not been converted are off.
TEST(ClockMap, BugLog87_AStepBackDoesNotReachLaterStamps) {
  ClockMap map;
  map.AddSnapshot(Snapshot(1'000'000, 900'000'000, 1));
  map.AddSnapshot(Snapshot(2'000'000, 901'000'000, 2));
  map.AddSnapshot(Snapshot(3'000'000, 852'000'000, 3));  // 50 ms back
  EXPECT_EQ(map.FromCupti(852'000'500), 3'000'500u);
  map.AddSnapshot(Snapshot(4'000'000, 853'000'000, 4));
  EXPECT_EQ(map.FromCupti(852'999'000), 3'999'000u);
  EXPECT_EQ(map.FromCupti(853'000'700), 4'000'700u);
}

TEST(ClockMap, CuptisOwnClockIsPreferredOverTheWallClock) {
  ClockMap map;
  map.AddSnapshot(Snapshot(5'000, 900'000, 1, 70'000));
  EXPECT_EQ(map.FromCupti(70'250), 5'250u);
}

TEST(ClockMap, OldSnapshotsAreForgottenNotWrong) {
  ClockMap map;
  for (uint64_t i = 0; i < 200; ++i) map.AddSnapshot(Snapshot(1'000 + i * 100, 500'000 + i * 100, 1 + i));
  EXPECT_EQ(map.FromCupti(500'000 + 150 * 100 + 7), 1'000u + 150 * 100 + 7);
  EXPECT_EQ(map.FromCupti(500'000 + 3), 1'003u) << "older than what is kept: from the oldest kept";
}

TEST(ClockMap, TakeBracketsAllClocks) {
  const record::ClockSnapshot s = ClockMap::Take(nullptr);
  const base::TimeNs now = base::MonotonicNow();
  EXPECT_GT(s.monotonic, 0u);
  EXPECT_LE(s.monotonic, now);
  EXPECT_GT(s.realtime, 1'600'000'000'000'000'000u);
  EXPECT_EQ(s.cupti, 0u);
  EXPECT_GT(s.boottime, 0u);
}

TEST(ClockMap, RefusingCuptiTimestampIsAbsentNotWrong) {
  const record::ClockSnapshot s = ClockMap::Take([](uint64_t* out) -> uint32_t {
    *out = 77;
    return 999;
  });
  EXPECT_EQ(s.cupti, 0u);
}

TEST(ClockMap, RawStampsConvertToNow) {
  ClockMap map;
  ClockMap::TscUsable();
  map.AddSnapshot(ClockMap::Take(nullptr));
  const base::TimeNs spin_until = base::MonotonicNow() + 5'000'000;
  while (base::MonotonicNow() < spin_until) {
  }
  map.AddSnapshot(ClockMap::Take(nullptr));
  const base::TimeNs before = base::MonotonicNow();
  const uint64_t stamp = RawStamp();
  const base::TimeNs after = base::MonotonicNow();
  const base::TimeNs converted = map.FromTsc(stamp);
  // The two snapshots bracket to within their own uncertainty; 20 µs covers it with room.
  EXPECT_GE(converted + 20'000, before);
  EXPECT_LE(converted, after + 20'000);
}

}  // namespace
}  // namespace slowtoken::capture
