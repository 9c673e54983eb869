// Records of every CUPTI from CUDA 12.4 on, and longer ones than our header knows, decode to the same events. The older
// structs are those that cupti_activity_deprecated.h keeps.
#include "cupti/record_layouts.h"

#include <cstring>

#include "source_fixture.h"

namespace slowtoken::cupti {
namespace {

// A later version's record: more at the end.
template <typename Record>
struct Longer : Record {
  uint64_t unknown[8];
};

template <typename Record>
Record Kernel() {
  Record r{};
  memset(static_cast<void*>(&r), 0xee, sizeof r);  // what we do not read may hold anything
  r.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  r.start = 1'700'000'000'000'000'000 + 5, r.end = r.start + 7;
  r.deviceId = 1, r.contextId = 2, r.streamId = 3;
  r.correlationId = 4, r.graphNodeId = 5, r.graphId = 6;
  r.gridX = 7, r.gridY = 8, r.gridZ = 9, r.blockX = 10, r.blockY = 11, r.blockZ = 12;
  r.clusterX = 13, r.clusterY = 14, r.clusterZ = 15;
  r.staticSharedMemory = 16, r.dynamicSharedMemory = 17, r.localMemoryPerThread = 18;
  r.registersPerThread = 19;
  r.name = "kernel";
  return r;
}

template <typename Record>
Record Copy() {
  Record r{};
  memset(static_cast<void*>(&r), 0xee, sizeof r);
  r.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  r.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
  r.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, r.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  r.flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
  r.bytes = 64;
  r.start = 1'700'000'000'000'000'000 + 5, r.end = r.start + 7;
  r.deviceId = 1, r.contextId = 2, r.streamId = 3;
  r.correlationId = 4, r.graphNodeId = 5, r.graphId = 6;
  return r;
}

template <typename Record>
Record Graph() {
  Record r{};
  memset(static_cast<void*>(&r), 0xee, sizeof r);
  r.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
  r.start = 1'700'000'000'000'000'000 + 5, r.end = r.start + 7;
  r.deviceId = 1, r.contextId = 2, r.streamId = 3;
  r.correlationId = 4, r.graphId = 6;
  return r;
}

template <typename Record>
Record Sync() {
  Record r{};
  memset(static_cast<void*>(&r), 0xee, sizeof r);
  r.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  r.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT;
  r.start = 1'700'000'000'000'000'000 + 5, r.end = r.start + 7;
  r.correlationId = 4, r.contextId = 2, r.streamId = 3, r.cudaEventId = 8;
  return r;
}

template <typename Record>
Record Overhead() {
  Record r{};
  memset(static_cast<void*>(&r), 0xee, sizeof r);
  r.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  r.overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE;
  r.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  r.objectId.pt.threadId = 9;
  r.start = 1'700'000'000'000'000'000 + 5, r.end = r.start + 7;
  return r;
}

class LayoutsTest : public SourceTest {
 protected:
  template <typename Record>
  void Play(const Record& record) {
    events = {};
    Longer<Record> longer;
    memset(static_cast<void*>(&longer), 0xab, sizeof longer);
    static_cast<Record&>(longer) = record;
    fake.Deliver(record, longer);
    Collect();
    EXPECT_EQ(Lost(base::Loss::kUnknownRecordKind), 0u);
    EXPECT_EQ(Lost(base::Loss::kBadTimestamp), 0u);
  }

  template <typename Record>
  void PlayKernel() {
    Play(Kernel<Record>());
    ASSERT_EQ(events.kernels.size(), 2u);
    for (const record::Kernel& k : events.kernels) {
      EXPECT_EQ(k.start, kMonotonicNow + 5);
      EXPECT_EQ(k.end, kMonotonicNow + 12);
      EXPECT_EQ(k.correlation, 4u);
      EXPECT_EQ(k.graph_node_id, 5u);
      EXPECT_EQ(k.graph_id, 6u);
      EXPECT_EQ(dictionary.lane(k.lane).stream, 3u);
      EXPECT_EQ(Text(dictionary.shape(k.shape).name), "kernel");
    }
  }

  template <typename Record>
  void PlayCopy() {
    Play(Copy<Record>());
    ASSERT_EQ(events.memcpys.size(), 2u);
    for (const record::Memcpy& c : events.memcpys) {
      EXPECT_EQ(c.end, kMonotonicNow + 12);
      EXPECT_EQ(c.bytes, 64u);
      EXPECT_EQ(c.copy_kind, record::CopyKind::kDtoH);
      EXPECT_EQ(c.dst, record::MemoryKind::kPinned);
      EXPECT_TRUE(c.async);
      EXPECT_EQ(c.graph_id, 6u);
    }
  }

  template <typename Record>
  void PlayGraph() {
    Play(Graph<Record>());
    ASSERT_EQ(events.graphs.size(), 2u);
    for (const record::GraphLaunch& g : events.graphs) {
      EXPECT_EQ(g.graph_id, 6u);
      EXPECT_EQ(g.end, kMonotonicNow + 12);
      EXPECT_EQ(g.correlation, 4u);
    }
  }

  template <typename Record>
  void PlaySync() {
    Play(Sync<Record>());
    ASSERT_EQ(events.syncs.size(), 2u);
    for (const record::Synchronization& s : events.syncs) {
      EXPECT_EQ(s.kind, record::SyncKind::kStreamWaitEvent);
      EXPECT_EQ(s.event_id, 8u);
      EXPECT_EQ(s.correlation, 4u);
    }
  }

  template <typename Record>
  void PlayOverhead() {
    Play(Overhead<Record>());
    ASSERT_EQ(events.overheads.size(), 2u);
    for (const record::Overhead& o : events.overheads) {
      EXPECT_EQ(o.kind, record::OverheadKind::kResource);
      EXPECT_EQ(o.thread, 9u);
      EXPECT_EQ(o.end, kMonotonicNow + 12);
    }
  }
};

TEST_F(LayoutsTest, Kernels) {
  ASSERT_TRUE(Start());
  PlayKernel<CUpti_ActivityKernel9>();
  PlayKernel<CUpti_ActivityKernel10>();
}

TEST_F(LayoutsTest, Copies) {
  ASSERT_TRUE(Start());
  PlayCopy<CUpti_ActivityMemcpy5>();
  PlayCopy<CUpti_ActivityMemcpy6>();
}

TEST_F(LayoutsTest, Graphs) {
  ASSERT_TRUE(Start());
  PlayGraph<CUpti_ActivityGraphTrace>();
  PlayGraph<CUpti_ActivityGraphTrace2>();
}

TEST_F(LayoutsTest, Synchronizations) {
  ASSERT_TRUE(Start());
  PlaySync<CUpti_ActivitySynchronization>();
  PlaySync<CUpti_ActivitySynchronization2>();
}

TEST_F(LayoutsTest, Overheads) {
  ASSERT_TRUE(Start());
  PlayOverhead<CUpti_ActivityOverhead>();
  PlayOverhead<CUpti_ActivityOverhead2>();
  PlayOverhead<CUpti_ActivityOverhead3>();
}

// A kind of a later CUPTI between two we know is stepped over and counted.
TEST_F(LayoutsTest, BugLog62_UnknownKindsOfALaterCuptiAreCounted) {
  ASSERT_TRUE(Start());
  struct Later {
    CUpti_ActivityKind kind;
    uint32_t rest[31];
  } later{static_cast<CUpti_ActivityKind>(77), {}};
  fake.Deliver(Kernel<CUpti_ActivityKernel10>(), later, Kernel<CUpti_ActivityKernel10>());
  Collect();
  EXPECT_EQ(events.kernels.size(), 2u);
  EXPECT_EQ(Lost(base::Loss::kUnknownRecordKind), 1u);
}

}  // namespace
}  // namespace slowtoken::cupti
