// Captured launches and the size of graphs, from CUPTI's resource call-backs.
#include <pthread.h>
#include <unistd.h>

#include "source_fixture.h"

namespace slowtoken::cupti {
namespace {

class GraphBuildingTest : public SourceTest {
 protected:
  // A launch of this thread that took from now - 1 ms to now + 1 ms on CUPTI's clock.
  static CUpti_ActivityAPI LaunchAround(uint64_t now, uint32_t correlation, uint32_t thread,
                                        CUpti_ActivityKind kind = CUPTI_ACTIVITY_KIND_RUNTIME, uint32_t cbid = 505) {
    CUpti_ActivityAPI r = CallRecord(kind, cbid, correlation, thread);
    r.start = now - 1'000'000;
    r.end = now + 1'000'000;
    return r;
  }
  static uint32_t Me() { return static_cast<uint32_t>(gettid()); }

  void SetUp() override {
    SourceTest::SetUp();
    record::ClockSnapshot snapshot;  // the real clocks: notes are stamped with them
    snapshot.realtime = snapshot.cupti = base::RealtimeNow();
    snapshot.monotonic = base::MonotonicNow();
    clock.AddSnapshot(snapshot);
  }
};

TEST_F(GraphBuildingTest, ALaunchDuringCaptureIsMarked) {
  ASSERT_TRUE(Start());
  fake.Graph(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED);
  const uint64_t now = base::RealtimeNow();
  fake.Deliver(LaunchAround(now, 1, Me(), CUPTI_ACTIVITY_KIND_DRIVER, 307), LaunchAround(now, 1, Me()),
               LaunchAround(now, 2, Me() + 1),           // another thread, at the same time
               LaunchAround(now + 5'000'000, 3, Me()));  // this thread, later
  Collect();
  ASSERT_EQ(events.calls.size(), 4u);
  EXPECT_TRUE(events.calls[0].captured);
  EXPECT_TRUE(events.calls[1].captured);
  EXPECT_FALSE(events.calls[2].captured);
  EXPECT_FALSE(events.calls[3].captured);
  record::CaptureTotals totals;
  source->AddTotals(totals);
  EXPECT_EQ(totals.launches_captured, 1u);
  EXPECT_EQ(totals.launches, 2u);
}

TEST_F(GraphBuildingTest, OnlyCallsThatStartWorkCanBeCaptured) {
  ASSERT_TRUE(Start());
  fake.Graph(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED);
  const uint64_t now = base::RealtimeNow();
  fake.Deliver(LaunchAround(now, 1, Me(), CUPTI_ACTIVITY_KIND_RUNTIME, 41),
               LaunchAround(now, 2, Me(), CUPTI_ACTIVITY_KIND_RUNTIME, 131));
  Collect();
  EXPECT_TRUE(events.calls[0].captured) << "a copy";
  EXPECT_FALSE(events.calls[1].captured) << "a synchronisation";
}

// The snapshot says that CUPTI's clock is an hour ahead of CLOCK_REALTIME (another platform's clock).
TEST_F(GraphBuildingTest, AnotherCuptiClockIsBridged) {
  ASSERT_TRUE(Start());
  constexpr uint64_t kHour = 3600ull * 1'000'000'000;
  record::ClockSnapshot snapshot = clock.latest();
  snapshot.cupti += kHour;
  clock.AddSnapshot(snapshot);
  fake.Graph(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED);
  fake.Deliver(LaunchAround(base::RealtimeNow() + kHour, 1, Me()), LaunchAround(base::RealtimeNow(), 2, Me()));
  Collect();
  EXPECT_TRUE(events.calls[0].captured);
  EXPECT_FALSE(events.calls[1].captured);
}

TEST_F(GraphBuildingTest, WorkNodesOfAnExecutableGraph) {
  ASSERT_TRUE(Start());
  fake.Graph(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING);
  for (int i = 0; i < 5; ++i) fake.Graph(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED);
  fake.Graph(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, CU_GRAPH_NODE_TYPE_MEMCPY);
  fake.Graph(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, CU_GRAPH_NODE_TYPE_EMPTY);
  fake.Graph(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, CU_GRAPH_NODE_TYPE_EMPTY, 31);
  fake.Graph(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING);
  fake.Graph(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, CU_GRAPH_NODE_TYPE_MEMSET);
  fake.Graph(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, CU_GRAPH_NODE_TYPE_EMPTY, 32);
  fake.Deliver(KernelRecordAt(1, 2));
  Collect();
  EXPECT_EQ(source->WorkNodes(31), 6u);
  EXPECT_EQ(source->WorkNodes(32), 1u);
  EXPECT_EQ(source->WorkNodes(33), 0u);
  fake.Graph(CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING, CU_GRAPH_NODE_TYPE_EMPTY, 31);
  fake.Deliver(KernelRecordAt(1, 2));
  Collect();
  EXPECT_EQ(source->WorkNodes(31), 0u);
}

TEST_F(GraphBuildingTest, AFullQueueIsCounted) {
  ASSERT_TRUE(Start());
  for (size_t i = 0; i < GraphNotes::kCapacity + 3; ++i) fake.Graph(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED);
  EXPECT_EQ(Lost(base::Loss::kGraphNotesFull), 3u);
}

TEST(CapturedCalls, FindsStampsInsideIntervalsOfTheThread) {
  base::Arena arena;
  ASSERT_TRUE(arena.Reserve(1 << 20, false));
  CapturedCalls calls;
  ASSERT_TRUE(calls.Init(arena));
  EXPECT_FALSE(calls.Contains(1, 0, UINT64_MAX));
  calls.Add(100, 1);
  calls.Add(300, 1);
  calls.Add(200, 2);  // arrived late
  EXPECT_TRUE(calls.Contains(1, 100, 100));
  EXPECT_FALSE(calls.Contains(1, 101, 299));
  EXPECT_TRUE(calls.Contains(2, 101, 299));
  EXPECT_TRUE(calls.Contains(1, 150, 300));
  EXPECT_FALSE(calls.Contains(1, 301, 400));
  EXPECT_FALSE(calls.Contains(1, 0, 99));
  arena.Release();
}

TEST(CapturedCalls, KeepsTheNewest) {
  base::Arena arena;
  ASSERT_TRUE(arena.Reserve(1 << 20, false));
  CapturedCalls calls;
  ASSERT_TRUE(calls.Init(arena));
  for (uint64_t i = 1; i <= CapturedCalls::kCapacity + 10; ++i) calls.Add(i * 10, 1);
  EXPECT_FALSE(calls.Contains(1, 100, 100));
  EXPECT_TRUE(calls.Contains(1, 110, 110));
  EXPECT_TRUE(calls.Contains(1, (CapturedCalls::kCapacity + 10) * 10, UINT64_MAX));
  arena.Release();
}

}  // namespace
}  // namespace slowtoken::cupti
