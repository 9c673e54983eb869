// How long a GPU was busy, and why it was idle, while records come in windows and out of order.
#include "attribution/device_time.h"

#include <gmock/gmock.h>

#include <random>

#include "workload.h"

namespace slowtoken::attribution::testing {
namespace {

using record::IdleReason;
using record::TimeNs;

class DeviceTimeTest : public ::testing::Test {
 protected:
  explicit DeviceTimeTest(uint32_t pieces = 64) {
    Limits limits;
    EXPECT_TRUE(arena_.Reserve(64 << 20, false));
    EXPECT_TRUE(requests_.Init(arena_, limits, losses_));
    EXPECT_TRUE(absence_.Init(arena_, limits));
    EXPECT_TRUE(blind_.Init(arena_, 8));
    EXPECT_TRUE(time_.Init(arena_, pieces, absence_, blind_));
  }
  ~DeviceTimeTest() override { arena_.Release(); }

  // Times in microseconds from kBase; `call_end` < 0: not known.
  void Compute(int64_t start, int64_t end, int64_t call_end, uint8_t device = 0) {
    time_.Add({At(start), At(end), call_end < 0 ? 0 : At(call_end), device, true});
  }
  void Copy(int64_t start, int64_t end, int64_t call_end) { time_.Add({At(start), At(end), At(call_end), 0, false}); }
  void Request(record::RequestId id, int64_t start, int64_t end) {
    record::Annotation a;
    a.start = At(start);
    a.end = At(end);
    a.Set(record::AnnotationField::kReqId, id);
    requests_.Add(a);
  }
  void Settle(int64_t us) {
    absence_.Follow(requests_, At(us));
    time_.Settle(At(us));
  }
  uint64_t Busy(uint32_t device = 0) const { return time_.totals(device).busy_ns / kUs; }
  uint64_t Idle(IdleReason reason, uint32_t device = 0) const {
    return time_.totals(device).idle_ns[static_cast<size_t>(reason)] / kUs;
  }
  static TimeNs At(int64_t us) { return kBase + static_cast<uint64_t>(us) * kUs; }

  base::Arena arena_;
  base::LossCounters losses_;
  RequestTable requests_;
  RequestAbsence absence_;
  BlindIntervals blind_;
  DeviceTime time_;
};

TEST_F(DeviceTimeTest, BusyIsTheUnionOverStreams) {
  Compute(0, 100, 0);
  Compute(50, 150, 0);
  Compute(60, 70, 0);
  Compute(200, 300, 0);
  Settle(1000);
  EXPECT_EQ(Busy(), 250u);
}

TEST_F(DeviceTimeTest, DevicesAreCountedApart) {
  Compute(0, 100, 0, 0);
  Compute(50, 250, 0, 1);
  Settle(1000);
  EXPECT_EQ(Busy(0), 100u);
  EXPECT_EQ(Busy(1), 200u);
  EXPECT_FALSE(time_.totals(2).seen);
}

TEST_F(DeviceTimeTest, TheLaunchThatEndsAGapSaysWhoseItIs) {
  Compute(0, 100, 0);
  Compute(140, 200, 120);  // launched when the GPU was idle already
  Compute(230, 300, 150);  // waited for something
  Settle(1000);
  EXPECT_EQ(Idle(IdleReason::kHost), 40u);
  EXPECT_EQ(Idle(IdleReason::kDependency), 30u);
  EXPECT_TRUE(time_.totals(0).launches_known);
}

TEST_F(DeviceTimeTest, AnUnknownLaunchIsCountedNowhere) {
  Compute(0, 100, -1);
  Compute(140, 200, -1);
  Settle(1000);
  EXPECT_EQ(Busy(), 160u);
  EXPECT_EQ(Idle(IdleReason::kHost) + Idle(IdleReason::kDependency), 0u);
  EXPECT_FALSE(time_.totals(0).launches_known);
}

TEST_F(DeviceTimeTest, ACopyAloneIsIdleBecauseOfTheCopy) {
  Compute(0, 100, 0);
  Copy(100, 180, 0);
  Compute(150, 200, 0);
  Settle(1000);
  EXPECT_EQ(Busy(), 150u);
  EXPECT_EQ(Idle(IdleReason::kCopy), 50u);
  EXPECT_EQ(Idle(IdleReason::kHost) + Idle(IdleReason::kDependency), 0u);
}

TEST_F(DeviceTimeTest, CountersOnlyGrowWhenAWindowCutsThroughACopyAndAKernel) {
  uint64_t before = 0;
  Compute(0, 10, 0);
  Copy(10, 1000, 0);
  Compute(500, 1500, 0);
  for (int64_t us = 100; us <= 2000; us += 100) {
    Settle(us);
    EXPECT_GE(Idle(IdleReason::kCopy), before);
    before = Idle(IdleReason::kCopy);
  }
  EXPECT_EQ(before, 490u);
  EXPECT_EQ(Busy(), 1010u);
}

TEST_F(DeviceTimeTest, WithoutARequestThereIsNoWork) {
  Compute(0, 100, 0);
  Request(1, 0, 110);
  Settle(1000);
  EXPECT_EQ(Idle(IdleReason::kNoWork), 0u) << "the first window has no length";
  Settle(2000);
  EXPECT_EQ(Idle(IdleReason::kNoWork), 1000u) << "told while the gap is open";
  Request(2, 2500, 4000);
  Compute(2600, 2700, 2590);
  Settle(3000);
  EXPECT_EQ(Idle(IdleReason::kNoWork), 1500u);
  EXPECT_EQ(Idle(IdleReason::kHost), 2500u - 1500u)
      << "what was before the first window, and what came after request 2";
}

TEST_F(DeviceTimeTest, WhereRequestsAreNotSeenNothingIsSaidAboutThem) {
  Settle(0);
  Compute(0, 100, 0);
  Settle(1000);
  Compute(1500, 1600, 1490);
  Settle(2000);
  EXPECT_FALSE(absence_.known());
  EXPECT_EQ(Idle(IdleReason::kNoWork), 0u);
  EXPECT_EQ(Idle(IdleReason::kHost), 1400u);
}

TEST_F(DeviceTimeTest, ARequestHeardOfLateWasThereFromItsFirstWord) {
  Settle(0);
  Compute(0, 100, 0);
  record::Annotation queued;
  queued.name = record::AnnotationName::kReqQueued;
  queued.start = queued.end = At(600);
  queued.Set(record::AnnotationField::kReqId, 7);
  requests_.Add(queued);
  Request(6, 0, 200);
  Settle(1000);
  EXPECT_EQ(Idle(IdleReason::kNoWork), 400u);
  Settle(2000);
  EXPECT_EQ(Idle(IdleReason::kNoWork), 400u) << "request 7 has not ended";
}

TEST_F(DeviceTimeTest, ABlindIntervalIsNobodysIdleTime) {
  Compute(0, 100, 0);
  blind_.Add({.state = record::SourceState::kPaused, .reason = record::BlindReason::kPaused, .time = At(200)});
  blind_.Add({.state = record::SourceState::kActive, .time = At(300)});
  Compute(400, 500, 390);
  Compute(520, 600, 510);
  Settle(1000);
  EXPECT_EQ(Busy(), 280u);
  EXPECT_EQ(Idle(IdleReason::kHost), 20u);
}

TEST_F(DeviceTimeTest, ALongKernelIsCountedWindowByWindow) {
  Compute(0, 10'000, 0);
  for (int64_t us = 1000; us <= 5000; us += 1000) {
    Settle(us);
    EXPECT_EQ(Busy(), static_cast<uint64_t>(us));
  }
  Settle(20'000);
  EXPECT_EQ(Busy(), 10'000u);
}

TEST_F(DeviceTimeTest, ARecordThatComesAfterItsTimeAddsWhatItCan) {
  Compute(0, 100, 0);
  Compute(900, 1000, 0);
  Settle(2000);
  Compute(950, 1300, 0);  // its first 50 µs are counted already
  Settle(3000);
  EXPECT_EQ(Busy(), 500u);
}

TEST_F(DeviceTimeTest, AtTheEndEverythingIsCounted) {
  Compute(0, 100, 0);
  Compute(150, 300, 0);
  time_.Settle(kForever);
  EXPECT_EQ(Busy(), 250u);
}

class SmallDeviceTimeTest : public DeviceTimeTest {
 protected:
  SmallDeviceTimeTest() : DeviceTimeTest(4) {}
};

TEST_F(SmallDeviceTimeTest, AFullTableCountsEarlyAndLosesNothingInOrder) {
  for (int64_t i = 0; i < 1000; ++i) Compute(i * 10, i * 10 + 6, i * 10);
  time_.Settle(kForever);
  EXPECT_EQ(Busy(), 6000u);
}

TEST_F(SmallDeviceTimeTest, AFullTableOfWorkThatRunsAtOnce) {
  for (int64_t i = 0; i < 100; ++i) Compute(5, 1000, 0);
  time_.Settle(kForever);
  EXPECT_EQ(Busy(), 995u);
}

// Against a walk over every nanosecond that matters, whatever the order of arrival.
TEST(DeviceTime, EngineCountsWhatTheRecordsCover) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    Bench bench;
    const EventLog log = MakeWorkload({.seed = seed, .requests = 20, .kernels = 12, .second_stream = true}, bench);
    std::vector<std::pair<TimeNs, TimeNs>> kernels;
    for (const LoggedEvent& event : log) {
      if (const auto* kernel = std::get_if<record::Kernel>(&event.event))
        kernels.push_back({kernel->start, kernel->end});
    }
    std::sort(kernels.begin(), kernels.end());
    uint64_t covered = 0;
    TimeNs until = 0;
    for (const auto& [start, end] : kernels) {
      if (end > until) covered += end - std::max(start, until);
      until = std::max(until, end);
    }
    Deliver(log, {.seed = seed, .lateness = 200 * kMs, .shuffle = true}, bench);
    bench.engine().EmitCounters();
    ASSERT_GT(covered, 0u);
    EXPECT_EQ(bench.out().Count(record::Counter::kGpuBusyNs), covered);
    uint64_t idle = 0;
    for (uint32_t reason = 0; reason < 4; ++reason)
      idle += bench.out().Count(record::Counter::kGpuIdleNs, 0, reason).value_or(0);
    EXPECT_GE(idle + covered, until - kernels.front().first);
  }
}

}  // namespace
}  // namespace slowtoken::attribution::testing
