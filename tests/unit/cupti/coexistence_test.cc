// Another CUPTI client in the same process: before, during and after ours (bug log rows 29, 30, 35, 59, 61).
#include <algorithm>

#include "cupti/subscription_slot.h"
#include "source_fixture.h"

namespace slowtoken::cupti {
namespace {

class CoexistenceTest : public SourceTest {
 protected:
  // No waiting: time is played by rounds. A client that does not subscribe is taken for gone at once.
  void SetUp() override {
    SourceTest::SetUp();
    options.rearm = {.first_wait = 0, .longest_wait = 0, .patience = 0, .longest_patience = 0, .soon = 0};
  }
  // As long as a test lasts.
  void BePatient() { options.rearm.patience = options.rearm.longest_patience = 3'600'000'000'000; }

  // A host at work: enough rounds for the probe call to be trained.
  void WorkAWhile() {
    for (int round = 0; round < 6; ++round) {
      fake.Deliver(KernelRecordAt(1, 2));
      Collect();
    }
  }
  const record::SourceStatus& Last() const { return events.statuses.back(); }
};

TEST_F(CoexistenceTest, AWindowOfATorchProfiler) {
  ASSERT_TRUE(Start());
  WorkAWhile();
  const base::TimeNs before = base::MonotonicNow();
  fake.other_tool = "CUPTI for Kineto";
  fake.TakeBuffers();
  fake.log.clear();
  fake.flushes.clear();
  for (int round = 0; round < 5; ++round) Collect();
  EXPECT_EQ(Last().state, record::SourceState::kLost);
  EXPECT_EQ(Last().reason, record::BlindReason::kBuffersTaken);
  EXPECT_LE(Last().time, base::MonotonicNow());
  EXPECT_GE(Last().time + 1'000'000'000, before);
  EXPECT_NE(Detail().find("CUPTI for Kineto"), std::string::npos) << Detail();
  EXPECT_EQ(fake.Count("cuptiActivityRegisterCallbacks"), 0) << "fought over";
  EXPECT_EQ(fake.Count("cuptiActivityEnable"), 0);
  const size_t flushes = fake.flushes.size();
  const int counts = fake.Count("cuptiActivityGetNumDroppedRecords");
  for (int round = 0; round < 5; ++round) Collect();
  EXPECT_EQ(fake.flushes.size(), flushes) << "they are the other's buffers now";
  EXPECT_EQ(fake.Count("cuptiActivityGetNumDroppedRecords"), counts) << "and its count: reading resets it";

  fake.DisableKinds();  // the end of the window
  fake.other_tool.clear();
  Collect();
  EXPECT_EQ(Last().state, record::SourceState::kActive);
  EXPECT_TRUE(Last().EndsBlind());
  EXPECT_NE(Detail().find("recording again"), std::string::npos) << Detail();
  EXPECT_FALSE(fake.subscribed());
  events.kernels.clear();
  fake.Deliver(KernelRecordAt(7, 8));
  Collect();
  EXPECT_EQ(events.kernels.size(), 1u);
}

// A client that comes before two answers have been seen: then it counts who holds the subscription.
TEST_F(CoexistenceTest, AWindowInTheFirstSecond) {
  ASSERT_TRUE(Start());
  fake.Deliver(KernelRecordAt(1, 2));
  Collect();
  fake.other_tool = "CUPTI for Kineto";
  fake.TakeBuffers();
  for (int round = 0; round < 4; ++round) Collect();
  EXPECT_EQ(Last().reason, record::BlindReason::kBuffersTaken);
  EXPECT_NE(Detail().find("CUPTI for Kineto"), std::string::npos) << Detail();
}

TEST_F(CoexistenceTest, ASubscriberThatLeavesTheBuffersAloneIsNoThief) {
  fake.withholds_partly_filled = true;  // the probe is never trained
  ASSERT_TRUE(Start());
  fake.Deliver(KernelRecordAt(1, 2));
  Collect();
  fake.other_tool = "a tool that only listens";
  WorkAWhile();
  EXPECT_EQ(events.statuses.size(), 1u) << "buffers come";
  WorkAWhile();
  for (int round = 0; round < 50; ++round) Collect();
  EXPECT_EQ(events.statuses.size(), 1u) << "nor is an idle host, once the probe is given up";
}

// Told at the latest three flushes after it happened, and what has been delivered is not claimed beyond it meanwhile.
TEST_F(CoexistenceTest, TheBlindIntervalBeginsWhereDeliveryEnds) {
  ASSERT_TRUE(Start());
  WorkAWhile();
  uint8_t* current = fake.Request();  // a host thread's
  fake.Write(current, KernelRecordAt(1, 2));
  fake.HoldForFlush(current);
  const base::TimeNs complete = source->CompleteUpTo(clock, base::MonotonicNow());
  fake.other_tool = "somebody";
  fake.TakeBuffers();
  base::TimeNs claimed = complete;
  for (int round = 0; round < 8 && events.statuses.size() < 2; ++round) {
    Collect();
    if (events.statuses.size() < 2) claimed = source->CompleteUpTo(clock, base::MonotonicNow());
  }
  ASSERT_EQ(events.statuses.size(), 2u);
  EXPECT_GE(Last().time, claimed);
  EXPECT_EQ(fake.given_to_other, std::vector<uint8_t*>{current});
  const base::TimeNs now = base::MonotonicNow();
  EXPECT_EQ(source->CompleteUpTo(clock, now), now) << "what the other was given holds nothing back";
}

TEST_F(CoexistenceTest, AnIdleHostIsNotBlind) {
  ASSERT_TRUE(Start());
  WorkAWhile();
  for (int round = 0; round < 50; ++round) Collect();
  EXPECT_EQ(events.statuses.size(), 1u);
  EXPECT_GT(fake.probes, 40) << "asked in each idle round";
  const int probes = fake.probes;
  for (int round = 0; round < 50; ++round) {
    fake.Deliver(KernelRecordAt(1, 2));
    Collect();
  }
  EXPECT_EQ(fake.probes, probes) << "and in no busy one";
  EXPECT_EQ(events.calls.size(), 0u) << "our own calls are not the host's";
}

// A CUPTI in which the probe call does not work as we think is never accused.
TEST_F(CoexistenceTest, BugLog48_AFlushThatBringsNothingIsNoTheft) {
  fake.withholds_partly_filled = true;
  ASSERT_TRUE(Start());
  WorkAWhile();
  for (int round = 0; round < 50; ++round) Collect();
  EXPECT_EQ(events.statuses.size(), 1u);
  EXPECT_LT(fake.probes, 20) << "given up";
}

// A buffer that is overdue may have other reasons: with somebody there it is proof at once, else much later.
TEST_F(CoexistenceTest, AnOverdueBufferIsNoProofByItself) {
  ASSERT_TRUE(Start());
  WorkAWhile();
  Collect();
  Collect();  // idle: the probe call's buffer is out
  fake.withholds_partly_filled = true;
  for (int round = 0; round < 20; ++round) Collect();
  EXPECT_EQ(events.statuses.size(), 1u);
  fake.other_tool = "CUPTI for Kineto";
  for (int round = 0; round < 3; ++round) Collect();
  EXPECT_EQ(Last().reason, record::BlindReason::kBuffersTaken);
}

TEST_F(CoexistenceTest, AProbeThatAccusesNobodyIsGivenUp) {
  ASSERT_TRUE(Start());
  WorkAWhile();
  for (int times = 0; times < 3; ++times) {
    Collect();
    Collect();
    fake.withholds_partly_filled = true;
    for (int round = 0; round < 40 && !Last().BeginsBlind(); ++round) Collect();
    ASSERT_TRUE(Last().BeginsBlind()) << times;
    fake.withholds_partly_filled = false;
    for (int round = 0; round < 3; ++round) Collect();
    ASSERT_TRUE(Last().EndsBlind()) << times;
  }
  const size_t statuses = events.statuses.size();
  fake.withholds_partly_filled = true;
  for (int round = 0; round < 100; ++round) Collect();
  EXPECT_EQ(events.statuses.size(), statuses);
}

TEST_F(CoexistenceTest, BugLog35_KindsSwitchedOffByAnother) {
  ASSERT_TRUE(Start());
  WorkAWhile();
  fake.DisableKinds();
  for (int round = 0; round < 4; ++round) Collect();
  ASSERT_GE(events.statuses.size(), 3u);
  EXPECT_EQ(events.statuses[1].reason, record::BlindReason::kBuffersTaken);
  EXPECT_TRUE(Last().EndsBlind()) << "nobody holds CUPTI: taken up again";
  EXPECT_FALSE(fake.kinds.empty());
}

TEST_F(CoexistenceTest, BugLog35_LaunchesThatStartNothing) {
  options.starved_after = 0;
  ASSERT_TRUE(Start());
  uint32_t id = 1;
  const auto launch = [&](int count) {
    for (int i = 0; i < count; ++i) fake.Deliver(CallRecord(CUPTI_ACTIVITY_KIND_RUNTIME, 211, id++)), Collect();
  };
  launch(2000);
  EXPECT_EQ(events.statuses.size(), 1u) << "there never was a kernel: no sign of anything";
  fake.Deliver(KernelRecordAt(1, 2));
  Collect();
  launch(900);
  EXPECT_EQ(events.statuses.size(), 1u);
  launch(200);
  ASSERT_GE(events.statuses.size(), 3u);
  EXPECT_EQ(events.statuses[1].reason, record::BlindReason::kBuffersTaken);
  EXPECT_TRUE(events.statuses[2].EndsBlind()) << "the kinds are enabled again";
  EXPECT_EQ(std::count(fake.kinds.begin(), fake.kinds.end(), CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), 2);
}

TEST_F(CoexistenceTest, BugLog02_TornDownByAnother) {
  ASSERT_TRUE(Start());
  WorkAWhile();
  BePatient();
  fake.TearDown();
  Collect();
  EXPECT_EQ(Last().reason, record::BlindReason::kTornDown);
  Collect();
  EXPECT_TRUE(Last().EndsBlind());
  EXPECT_TRUE(fake.armed());
  EXPECT_EQ(fake.Count("cuptiActivityEnableAndDump"), 3) << "what exists is asked for";
}

// Before CUDA 12.6 CUPTI crashes when it is initialised again while graphs are alive.
TEST_F(CoexistenceTest, BugLog29_BeforeCuda12_6TheLossIsForGood) {
  fake.version = 23;
  ASSERT_TRUE(Start());
  WorkAWhile();
  fake.TearDown();
  fake.log.clear();
  for (int round = 0; round < 5; ++round) Collect();
  EXPECT_EQ(Last().reason, record::BlindReason::kTornDown);
  EXPECT_NE(Detail().find("12.6"), std::string::npos) << Detail();
  EXPECT_EQ(fake.Count("cuptiSubscribe"), 0);
  EXPECT_FALSE(fake.armed());
  EXPECT_LE(events.statuses.size(), 3u) << "said once";
}

TEST_F(CoexistenceTest, BugLog59_TheSlotBecomesFreeLater) {
  fake.other_tool = "Nsight Systems";
  EXPECT_FALSE(Start());
  for (int round = 0; round < 3; ++round) Collect();
  EXPECT_EQ(events.statuses.size(), 1u);
  EXPECT_FALSE(fake.armed());
  ASSERT_NE(source->timestamp_function(), nullptr) << "the clock may be asked for later";
  fake.other_tool.clear();
  Collect();
  ASSERT_EQ(events.statuses.size(), 2u);
  EXPECT_TRUE(Last().EndsBlind());
  fake.Deliver(KernelRecordAt(7, 8));
  Collect();
  EXPECT_EQ(events.kernels.size(), 1u);
}

TEST_F(CoexistenceTest, BugLog30_AttachingAfterGraphsWereBuiltIsRefusedBeforeCuda12_6) {
  fake.version = 23;
  fake.other_tool = "somebody";
  EXPECT_FALSE(Start());
  Collect();
  fake.other_tool.clear();
  for (int round = 0; round < 3; ++round) Collect();
  EXPECT_EQ(Last().reason, record::BlindReason::kOtherTool);
  EXPECT_FALSE(fake.armed());
}

TEST_F(CoexistenceTest, AClientWithoutSubscriptionIsLeftAloneForALongTime) {
  BePatient();
  ASSERT_TRUE(Start());
  WorkAWhile();
  fake.TakeBuffers();
  for (int round = 0; round < 20; ++round) Collect();
  EXPECT_EQ(Last().reason, record::BlindReason::kBuffersTaken);
  EXPECT_EQ(fake.Count("cuptiActivityRegisterCallbacks"), 1) << "that of the start";
  EXPECT_FALSE(fake.subscribed());
}

TEST_F(CoexistenceTest, ARearmingThatBringsNothingIsSaid) {
  ASSERT_TRUE(Start());
  WorkAWhile();
  fake.TakeBuffers();
  fake.DisableKinds();
  fake.fail["cuptiActivityEnableDriverApi"] = CUPTI_ERROR_UNKNOWN;
  fake.fail["cuptiActivityEnableRuntimeApi"] = CUPTI_ERROR_UNKNOWN;
  for (int round = 0; round < 8; ++round) Collect();
  EXPECT_EQ(Last().state, record::SourceState::kLost);
  const bool said = std::any_of(events.statuses.begin(), events.statuses.end(), [](const record::SourceStatus& s) {
    return s.reason == record::BlindReason::kRearmFailed;
  });
  EXPECT_TRUE(said);
}

// Facts of CUPTI 13.0: graph launches of a session after the first carry wrong correlation ids. No join, no false join.
TEST_F(CoexistenceTest, AfterRearmingOnCuda13_0GraphRecordsAreKeptWithoutTheirId) {
  ASSERT_TRUE(Start());
  WorkAWhile();
  fake.TearDown();
  Collect();
  Collect();
  ASSERT_TRUE(Last().EndsBlind());
  EXPECT_NE(Detail().find("correlation ids"), std::string::npos) << Detail();
  events.kernels.clear();
  CUpti_ActivityKernel10 inside = KernelRecordAt(1, 2), outside = KernelRecordAt(3, 4);
  inside.graphId = 4;
  inside.correlationId = outside.correlationId = 77;
  CUpti_ActivityGraphTrace2 launch{};
  launch.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
  launch.graphId = 4;
  launch.correlationId = 78;
  fake.Deliver(inside, outside, launch);
  Collect();
  ASSERT_EQ(events.kernels.size(), 2u);
  EXPECT_EQ(events.kernels[0].correlation, 0u);
  EXPECT_EQ(events.kernels[1].correlation, 77u);
  ASSERT_EQ(events.graphs.size(), 1u);
  EXPECT_EQ(events.graphs[0].correlation, 0u);
}

TEST_F(CoexistenceTest, FromCuda13_1Update1GraphRecordsKeepTheirId) {
  fake.version = 130101;
  ASSERT_TRUE(Start());
  WorkAWhile();
  fake.TearDown();
  Collect();
  Collect();
  ASSERT_TRUE(Last().EndsBlind());
  events.kernels.clear();
  CUpti_ActivityKernel10 inside = KernelRecordAt(1, 2);
  inside.graphId = 4;
  inside.correlationId = 77;
  fake.Deliver(inside);
  Collect();
  ASSERT_EQ(events.kernels.size(), 1u);
  EXPECT_EQ(events.kernels[0].correlation, 77u);
}

// Calls the other client had switched on stay on: they are filtered.
TEST_F(CoexistenceTest, LeftoverKindsOfTheOtherAreFiltered) {
  ASSERT_TRUE(Start());
  WorkAWhile();
  fake.TearDown();
  Collect();
  Collect();
  fake.Deliver(CallRecord(CUPTI_ACTIVITY_KIND_RUNTIME, 1, 1), CallRecord(CUPTI_ACTIVITY_KIND_RUNTIME, 211, 2));
  Collect();
  ASSERT_EQ(events.calls.size(), 1u);
  EXPECT_EQ(events.calls[0].correlation, 2u);
}

TEST_F(CoexistenceTest, BugLog44_BuffersTheOtherWasGivenAreLentAgainOnlyLongAfter) {
  base::LossCounters pool_losses;
  BufferPool pool;
  ASSERT_TRUE(pool.Init(arena, 2, 4096, pool_losses));
  const BufferPool::Buffer first = pool.Request(true);
  const BufferPool::Buffer second = pool.Request(true);
  ASSERT_NE(second.data, nullptr);
  pool.Complete(second.data, 64);
  pool.GiveUpLent(base::MonotonicNow());
  first.data[100] = 5;
  EXPECT_EQ(pool.Request(true).data, nullptr) << "given up is not free";
  pool.Complete(first.data, 64);  // too late
  EXPECT_EQ(pool.TakeFilled().data, second.data);
  EXPECT_EQ(pool.TakeFilled().data, nullptr);
  EXPECT_EQ(pool.Reclaim(), 1u);
  EXPECT_EQ(pool.Reclaim(), 0u);
  EXPECT_EQ(pool.Request(true).data, first.data);
  EXPECT_EQ(first.data[100], 0) << "zeroed";
}

TEST(SubscriptionSlot, UnknownToolsGiveNoName) {
  char text[8] = "before";
  DescribeMappedTools(text, sizeof text);
  EXPECT_STREQ(text, "");
}

}  // namespace
}  // namespace slowtoken::cupti
