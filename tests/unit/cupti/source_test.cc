// Rounds of the worker: flush, dropped count, order, end, loss of CUPTI, fork.
#include <errno.h>

#include <cstring>

#include "source_fixture.h"

namespace slowtoken::cupti {
namespace {

TEST_F(SourceTest, StatusIsEmittedOnceAndFirst) {
  ASSERT_TRUE(Start());
  Collect();
  Collect();
  ASSERT_EQ(events.statuses.size(), 1u);
  EXPECT_EQ(events.statuses[0].state, record::SourceState::kActive);
  EXPECT_EQ(events.statuses[0].version, 130001u);
  EXPECT_EQ(events.statuses[0].error, 0);
  EXPECT_EQ(events.statuses[0].detail, 0u);
  EXPECT_GT(events.statuses[0].time, 0u);
}

TEST_F(SourceTest, BugLog06_NoFlushInAProcessThatNeverUsedTheGpu) {
  ASSERT_TRUE(Start());
  Collect();
  source->CollectLast(context, UINT64_MAX);
  EXPECT_TRUE(fake.flushes.empty());
  EXPECT_EQ(fake.Count("cuptiActivityGetNumDroppedRecords"), 0);
}

TEST_F(SourceTest, ARoundFlushesOnceThenAsksForDroppedRecords) {
  ASSERT_TRUE(Start());
  fake.Deliver(KernelRecordAt(1, 2));
  fake.log.clear();
  fake.dropped = 17;
  Collect();
  ASSERT_GE(fake.log.size(), 2u);
  EXPECT_EQ(fake.log[0], "cuptiActivityFlushAll");
  EXPECT_EQ(fake.log[1], "cuptiActivityGetNumDroppedRecords");
  EXPECT_EQ(fake.flushes, std::vector<uint32_t>{0});
  EXPECT_EQ(Lost(base::Loss::kCuptiDropped), 17u);
  Collect();
  EXPECT_EQ(Lost(base::Loss::kCuptiDropped), 17u) << "reading resets CUPTI's count";
  EXPECT_EQ(events.kernels.size(), 1u);
}

TEST_F(SourceTest, BugLog46_RefusedDroppedCountIsUnknownNotZero) {
  ASSERT_TRUE(Start());
  fake.fail["cuptiActivityGetNumDroppedRecords"] = CUPTI_ERROR_NOT_COMPATIBLE;
  fake.Deliver(KernelRecordAt(1, 2));
  Collect();
  EXPECT_EQ(Lost(base::Loss::kCuptiDroppedUnknown), 1u);
  EXPECT_EQ(Lost(base::Loss::kCuptiDropped), 0u);
  EXPECT_EQ(events.kernels.size(), 1u);
}

TEST_F(SourceTest, AFlushThatFailsInMidSessionIsSaidOnce) {
  ASSERT_TRUE(Start());
  fake.Deliver(KernelRecordAt(1, 2));
  fake.fail["cuptiActivityFlushAll"] = CUPTI_ERROR_UNKNOWN;
  Collect();
  Collect();
  ASSERT_EQ(events.statuses.size(), 2u);
  EXPECT_EQ(events.statuses[1].state, record::SourceState::kActive);
  EXPECT_EQ(events.statuses[1].error, 999);
  EXPECT_NE(Detail().find("cuptiActivityFlushAll"), std::string::npos);
  EXPECT_EQ(Lost(base::Loss::kFaultedCall), 2u);
  EXPECT_EQ(events.kernels.size(), 1u) << "full buffers still come";
}

TEST_F(SourceTest, CuptisOwnCostIsAddedUp) {
  ASSERT_TRUE(Start());
  CUpti_ActivityOverhead3 flush{}, load{};
  flush.kind = load.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  flush.overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH;
  flush.start = load.start = kCuptiNow + 100;
  flush.end = load.end = kCuptiNow + 1100;
  load.overheadKind = CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING;  // the program's, with or without CUPTI
  fake.Deliver(flush, flush, load);
  Collect();
  record::OwnCost cost;
  cost.cupti_overhead_ns = 7;
  source->AddCost(cost);
  EXPECT_EQ(cost.cupti_overhead_ns, 2007u);
  EXPECT_GT(cost.flush_cpu_ns, 0u);
}

TEST_F(SourceTest, TheCallBacksOnHostThreadsAreCounted) {
  ASSERT_TRUE(Start());
  const auto callback_ns = [&] {
    Collect();
    record::OwnCost cost;
    source->AddCost(cost);
    return cost.callback_ns;
  };
  record::ClockSnapshot later;  // from the second snapshot on the length of a stamp is known
  later.monotonic = kMonotonicNow + 1'000'000;
  later.cupti = later.realtime = kCuptiNow + 1'000'000;
  later.tsc = 2'000'000;
  clock.AddSnapshot(later);
  const uint64_t before = callback_ns();
  constexpr int kBuffers = 256;  // one request in eight is timed, and counted for all
  for (int i = 0; i < kBuffers; ++i) {
    fake.Deliver(KernelRecordAt(1, 2));
    Collect();
  }
  const uint64_t cost = callback_ns() - before;
  EXPECT_GT(cost, static_cast<uint64_t>(kBuffers));
  EXPECT_LT(cost, kBuffers * 100'000u);
}

TEST_F(SourceTest, PlainFlushBringsPartlyFilledBuffers) {
  ASSERT_TRUE(Start());
  uint8_t* buffer = fake.Request();
  fake.Write(buffer, KernelRecordAt(1, 2));
  fake.HoldForFlush(buffer);
  Collect();
  EXPECT_EQ(events.kernels.size(), 1u);
}

TEST_F(SourceTest, BugLog48_TheLastRoundForcesTheFlush) {
  ASSERT_TRUE(Start());
  uint8_t* buffer = fake.Request();
  fake.Write(buffer, KernelRecordAt(5, 0));
  fake.HoldForFlush(buffer);
  source->CollectLast(context, UINT64_MAX);
  EXPECT_EQ(fake.flushes, std::vector<uint32_t>{CUPTI_ACTIVITY_FLAG_FLUSH_FORCED});
  ASSERT_EQ(events.kernels.size(), 1u);
  EXPECT_EQ(events.kernels[0].end, 0u);
}

TEST_F(SourceTest, PastTheDeadlineTheFlushIsNotForced) {
  ASSERT_TRUE(Start());
  fake.Deliver(KernelRecordAt(1, 2));
  source->CollectLast(context, 1);
  EXPECT_EQ(fake.flushes, std::vector<uint32_t>{0});
  EXPECT_EQ(events.kernels.size(), 1u);
}

TEST_F(SourceTest, OrderWithinAKindAndOfBuffersIsKept) {
  ASSERT_TRUE(Start());
  uint8_t* first = fake.Request();
  uint8_t* second = fake.Request();
  fake.Write(first, KernelRecordAt(1, 2));
  fake.Write(first, CallRecord(CUPTI_ACTIVITY_KIND_RUNTIME, 211, 1));
  fake.Write(second, CallRecord(CUPTI_ACTIVITY_KIND_DRIVER, 307, 2));
  fake.Write(second, KernelRecordAt(3, 4));
  fake.Complete(second);
  fake.Complete(first);
  Collect();
  EXPECT_EQ(events.order, "AKAK");
  EXPECT_EQ(events.calls[0].correlation, 2u);
  EXPECT_EQ(events.kernels[0].start, kMonotonicNow + 3);
  EXPECT_EQ(events.kernels[1].start, kMonotonicNow + 1);
}

TEST_F(SourceTest, ABufferOfManyRecordsComesOutWhole) {
  ASSERT_TRUE(Start());
  uint8_t* buffer = fake.Request();
  for (uint32_t i = 0; i < 70; ++i) {
    fake.Write(buffer, CallRecord(CUPTI_ACTIVITY_KIND_RUNTIME, 211, i + 1));
    if (i < 20) fake.Write(buffer, KernelRecordAt(i + 1, i + 2));
  }
  fake.Complete(buffer);
  Collect();
  ASSERT_EQ(events.calls.size(), 70u);
  ASSERT_EQ(events.kernels.size(), 20u);
  for (uint32_t i = 0; i < 70; ++i) EXPECT_EQ(events.calls[i].correlation, i + 1);
  for (uint32_t i = 0; i < 20; ++i) EXPECT_EQ(events.kernels[i].start, kMonotonicNow + i + 1);
}

TEST_F(SourceTest, BuffersComeBackZeroedToCupti) {
  ASSERT_TRUE(Start());
  for (int round = 0; round < 3; ++round) {
    uint8_t* buffer = fake.Request();
    for (size_t i = 0; i < options.buffer_bytes; ++i) ASSERT_EQ(buffer[i], 0);
    for (int i = 0; i < 30; ++i) fake.Write(buffer, KernelRecordAt(1, 2));
    fake.Complete(buffer);
    Collect();
  }
  EXPECT_EQ(events.kernels.size(), 90u);
}

TEST_F(SourceTest, BugLog42_AnExhaustedPoolDeclinesAndRecovers) {
  ASSERT_TRUE(Start());
  std::vector<uint8_t*> buffers;
  for (uint32_t i = 0; i < options.buffer_count; ++i) buffers.push_back(fake.Request());
  EXPECT_EQ(fake.Request(), nullptr);
  EXPECT_EQ(Lost(base::Loss::kNoActivityBuffer), 1u);
  for (uint8_t* buffer : buffers) {
    fake.Write(buffer, KernelRecordAt(1, 2));
    fake.Complete(buffer);
  }
  Collect();
  EXPECT_EQ(events.kernels.size(), options.buffer_count);
  EXPECT_NE(fake.Request(), nullptr);
}

TEST_F(SourceTest, BugLog43_BeforeApi27RequestsAreNeverDeclined) {
  fake.version = 26;
  ASSERT_TRUE(Start());
  for (uint32_t i = 0; i < options.buffer_count; ++i) fake.Request();
  uint8_t* reserve = fake.Request();
  ASSERT_NE(reserve, nullptr);
  fake.Write(reserve, KernelRecordAt(1, 2));
  fake.Complete(reserve);
  Collect();
  EXPECT_TRUE(events.kernels.empty());
  EXPECT_EQ(Lost(base::Loss::kReserveBufferDiscarded), 1u);
}

// CUPTI keeps buffers, writes into them and returns them after the end.
TEST_F(SourceTest, BugLog44_BuffersAreOursAfterTheEnd) {
  ASSERT_TRUE(Start());
  uint8_t* kept = fake.Request();
  fake.Complete(fake.Request());
  source->CollectLast(context, UINT64_MAX);
  EXPECT_EQ(Lost(base::Loss::kBufferKeptByCupti), 1u) << "what was in it is lost";
  memset(kept, 0xab, options.buffer_bytes);
  fake.Complete(kept);
  fake.Complete(fake.Request());
  EXPECT_TRUE(events.kernels.empty());
}

TEST_F(SourceTest, BeforeStartTheWorkerGetsNothing) {
  source = arena.Make<CuptiSource>();
  ASSERT_TRUE(source->Init(arena, losses, options));
  Collect();
  source->CollectLast(context, UINT64_MAX);
  EXPECT_TRUE(events.statuses.empty());
  EXPECT_EQ(source->CompleteUpTo(clock, 1000), 1000u);
  EXPECT_EQ(source->timestamp_function(), nullptr);
}

TEST_F(SourceTest, CompleteUpToWaitsForBuffersThatAreOutButNotForEver) {
  options.probe = nullptr;  // its buffer would be out, too
  ASSERT_TRUE(Start());
  const base::TimeNs before = base::MonotonicNow();
  uint8_t* held = fake.Request();
  const base::TimeNs after = base::MonotonicNow();
  Collect();
  const base::TimeNs complete = source->CompleteUpTo(clock, after + 1000);
  EXPECT_GE(complete, before);
  EXPECT_LE(complete, after);
  const base::TimeNs much_later = after + 60'000'000'000;
  EXPECT_EQ(source->CompleteUpTo(clock, much_later), much_later - 5'000'000'000);
  EXPECT_EQ(source->CompleteUpTo(clock, before), before);
  fake.Complete(held);
  EXPECT_LE(source->CompleteUpTo(clock, much_later), much_later - 5'000'000'000) << "returned, but not read yet";
  Collect();
  EXPECT_EQ(source->CompleteUpTo(clock, much_later), much_later);
}

TEST_F(SourceTest, TotalsCountNestedCallsOnce) {
  ASSERT_TRUE(Start());
  CUpti_ActivityAPI failed = CallRecord(CUPTI_ACTIVITY_KIND_RUNTIME, 505, 3);
  failed.returnValue = 1;
  CUpti_ActivityMemcpy6 copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  CUpti_ActivityGraphTrace2 graph{};
  graph.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
  fake.Deliver(CallRecord(CUPTI_ACTIVITY_KIND_DRIVER, 307, 1), CallRecord(CUPTI_ACTIVITY_KIND_RUNTIME, 211, 1),
               CallRecord(CUPTI_ACTIVITY_KIND_RUNTIME, 505, 1), CallRecord(CUPTI_ACTIVITY_KIND_RUNTIME, 311, 2), failed,
               CallRecord(CUPTI_ACTIVITY_KIND_RUNTIME, 41, 4), KernelRecordAt(1, 2), copy, graph);
  Collect();
  record::CaptureTotals totals;
  totals.nvtx_events = 9;
  source->AddTotals(totals);
  EXPECT_EQ(totals.launches, 2u);
  EXPECT_EQ(totals.launches_captured, 0u);
  EXPECT_EQ(totals.kernels, 1u);
  EXPECT_EQ(totals.memcpys, 1u);
  EXPECT_EQ(totals.graph_launches, 1u);
  EXPECT_EQ(totals.nvtx_events, 9u);
}

TEST_F(SourceTest, BugLog33_ManyKernelsOfOneGraphLaunchInSeveralBuffers) {
  ASSERT_TRUE(Start());
  for (int buffer = 0; buffer < 7; ++buffer) {
    uint8_t* data = fake.Request();
    for (int i = 0; i < 30; ++i) {
      CUpti_ActivityKernel10 r = KernelRecordAt(1, 2);
      r.correlationId = 1000;
      r.graphId = 4;
      r.graphNodeId = static_cast<uint64_t>(buffer * 30 + i + 1);
      fake.Write(data, r);
    }
    fake.Complete(data);
  }
  Collect();
  ASSERT_EQ(events.kernels.size(), 210u);
  for (const record::Kernel& k : events.kernels) ASSERT_EQ(k.correlation, 1000u);
  EXPECT_EQ(events.kernels.back().graph_node_id, 210u);
}

TEST_F(SourceTest, BugLog14_TheChildOfAForkCallsNothing) {
  ASSERT_TRUE(Start());
  fake.Deliver(KernelRecordAt(1, 2));
  source->ForgetInChild();
  fake.log.clear();
  Collect();
  source->CollectLast(context, UINT64_MAX);
  uint64_t stamp = 0;
  EXPECT_NE(source->timestamp_function()(&stamp), 0u);
  EXPECT_TRUE(fake.log.empty());
  EXPECT_TRUE(events.kernels.empty());
  EXPECT_TRUE(events.statuses.empty());
}

TEST_F(SourceTest, CallbacksKeepErrno) {
  ASSERT_TRUE(Start());
  errno = 55;
  uint8_t* buffer = fake.Request();
  fake.Complete(buffer);
  EXPECT_EQ(errno, 55);
}

// Callbacks before anything is installed, as a stray CUPTI thread could.
TEST(HostSide, WithoutASourceCallbacksGiveNothing) {
  HostSide::Install(nullptr);
  uint8_t byte = 0;
  uint8_t* buffer = &byte;
  size_t size = 1, records = 1;
  HostSide::BufferRequested(&buffer, &size, &records);
  EXPECT_EQ(buffer, nullptr);
  EXPECT_EQ(size, 0u);
  HostSide::BufferCompleted(nullptr, 0, &byte, 1, 1);
}

// The fake fails the test if any CUPTI function is entered from buffer-complete: here it is called from inside a flush.
TEST_F(SourceTest, BugLog22_BufferCompleteInsideAFlushCallsNothingBack) {
  ASSERT_TRUE(Start());
  for (int i = 0; i < 4; ++i) {
    uint8_t* buffer = fake.Request();
    fake.Write(buffer, KernelRecordAt(1, 2));
    fake.HoldForFlush(buffer);
  }
  fake.log.clear();
  source->CollectLast(context, UINT64_MAX);
  EXPECT_EQ(events.kernels.size(), 4u);
  EXPECT_EQ(fake.log.front(), "cuptiActivityFlushAll");
  EXPECT_EQ(fake.Count("cuptiActivityFlushAll"), 1);
}

TEST(LaunchCounter, BugLog95_CorrelationIdsWrap) {
  LaunchCounter counter;
  EXPECT_TRUE(counter.IsNew(UINT32_MAX));
  EXPECT_FALSE(counter.IsNew(UINT32_MAX));
  EXPECT_TRUE(counter.IsNew(1));
  for (uint32_t id = 2; id < 10'000; ++id) ASSERT_TRUE(counter.IsNew(id));
  EXPECT_FALSE(counter.IsNew(1)) << "its driver call was read, then other threads' buffers";
  for (uint32_t id = 10'000; id < 40'000; ++id) ASSERT_TRUE(counter.IsNew(id));
  EXPECT_TRUE(counter.IsNew(1)) << "another call, after the ids have wrapped";
}

TEST(LaunchCounter, BugLog100_IdZeroMeansNone) {
  LaunchCounter counter;
  EXPECT_TRUE(counter.IsNew(0));
  EXPECT_TRUE(counter.IsNew(0));
}

TEST_F(SourceTest, InitRefusesAnArenaThatIsTooSmall) {
  base::Arena small;
  ASSERT_TRUE(small.Reserve(1 << 18, false));
  CuptiSource* other = arena.Make<CuptiSource>();
  EXPECT_FALSE(other->Init(small, losses, options));
  small.Release();
}

TEST_F(SourceTest, MemoryNeededIsEnough) {
  base::Arena exact;
  ASSERT_TRUE(exact.Reserve(CuptiSource::MemoryNeeded({}), false));
  CuptiSource* other = arena.Make<CuptiSource>();
  EXPECT_TRUE(other->Init(exact, losses, {}));
  exact.Release();
}

}  // namespace
}  // namespace slowtoken::cupti
