// Stamps that cannot be believed, and stamps across clock snapshots.
#include "cupti/record_times.h"

#include "source_fixture.h"

namespace slowtoken::cupti {
namespace {

using RecordTimesTest = SourceTest;

TEST_F(RecordTimesTest, BugLog82_ZeroStampsAreCountedAndKept) {
  ASSERT_TRUE(Start());
  fake.Deliver(KernelRecordAt(0, 0), KernelRecordAt(0, 5), KernelRecordAt(10, 20));
  Collect();
  ASSERT_EQ(events.kernels.size(), 3u);
  EXPECT_EQ(Lost(base::Loss::kZeroTimestamp), 2u);
  EXPECT_EQ(events.kernels[0].start, 0u);
  EXPECT_EQ(events.kernels[0].end, 0u);
  EXPECT_EQ(events.kernels[1].end, 0u);
  EXPECT_EQ(events.kernels[2].end, kMonotonicNow + 20);
}

TEST_F(RecordTimesTest, BugLog49_RunningKernelIsUnfinished) {
  ASSERT_TRUE(Start());
  fake.Deliver(KernelRecordAt(10, 0));
  Collect();
  ASSERT_EQ(events.kernels.size(), 1u);
  EXPECT_EQ(events.kernels[0].start, kMonotonicNow + 10);
  EXPECT_EQ(events.kernels[0].end, 0u);
  EXPECT_EQ(Lost(base::Loss::kUnfinishedRecord), 1u);
}

TEST_F(RecordTimesTest, BugLog85_EndBeforeStartIsNoDuration) {
  ASSERT_TRUE(Start());
  fake.Deliver(KernelRecordAt(1'000'000'010, 1'000'000'009), KernelRecordAt(2'000'000'000, 1'000'000'000));
  Collect();
  ASSERT_EQ(events.kernels.size(), 2u);
  for (const record::Kernel& k : events.kernels) EXPECT_EQ(k.start + k.end, 0u);
  EXPECT_EQ(Lost(base::Loss::kBadTimestamp), 2u);
}

TEST_F(RecordTimesTest, BugLog83_SentinelStampsAreNoTimes) {
  ASSERT_TRUE(Start());
  for (uint64_t sentinel : {uint64_t{1}, uint64_t{1} << 63, (uint64_t{1} << 63) - 1, UINT64_MAX}) {
    CUpti_ActivityKernel10 start = KernelRecordAt(1, 2), end = start;
    start.start = sentinel;
    end.end = sentinel;
    fake.Deliver(start, end);
  }
  Collect();
  ASSERT_EQ(events.kernels.size(), 8u);
  for (const record::Kernel& k : events.kernels) EXPECT_EQ(k.start + k.end, 0u);
  EXPECT_EQ(Lost(base::Loss::kBadTimestamp), 8u);
}

// The first records of a session in CLOCK_MONOTONIC instead of CLOCK_REALTIME.
TEST_F(RecordTimesTest, BugLog86_StampsOfAnotherClockAreNoticed) {
  ASSERT_TRUE(Start());
  CUpti_ActivityKernel10 r = KernelRecordAt(1, 2);
  r.start = kMonotonicNow;
  r.end = kMonotonicNow + 1000;
  fake.Deliver(r, KernelRecordAt(5, 6));
  Collect();
  EXPECT_EQ(Lost(base::Loss::kBadTimestamp), 1u);
  EXPECT_EQ(events.kernels[0].start, 0u);
  EXPECT_EQ(events.kernels[1].start, kMonotonicNow + 5);
}

// The wall clock steps back by a second inside a kernel: its duration is CUPTI's, to the nanosecond.
TEST_F(RecordTimesTest, BugLog87_DurationsDoNotMixSnapshots) {
  ASSERT_TRUE(Start());
  record::ClockSnapshot later;
  later.cupti = later.realtime = kCuptiNow + 1000;
  later.monotonic = kMonotonicNow + 1'000'000'000;
  clock.AddSnapshot(later);
  fake.Deliver(KernelRecordAt(900, 1100));
  Collect();
  EXPECT_EQ(events.kernels[0].start, kMonotonicNow + 900);
  EXPECT_EQ(events.kernels[0].end, kMonotonicNow + 1100);
}

}  // namespace
}  // namespace slowtoken::cupti
