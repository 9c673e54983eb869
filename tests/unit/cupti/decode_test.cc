// Each record kind against the exact event it must become.
#include <cstring>

#include "source_fixture.h"

namespace slowtoken::cupti {
namespace {

using DecodeTest = SourceTest;

TEST_F(DecodeTest, Kernel) {
  ASSERT_TRUE(Start());
  CUpti_ActivityKernel10 r = KernelRecordAt(1000, 3500, "_Z4gemmPf");
  r.deviceId = 2;
  r.contextId = 3;
  r.streamId = 13;
  r.gridX = 10, r.gridY = 20, r.gridZ = 30;
  r.blockX = 128, r.blockY = 2, r.blockZ = 4;
  r.clusterX = 5, r.clusterY = 6, r.clusterZ = 7;
  r.registersPerThread = 96;
  r.staticSharedMemory = 1024;
  r.dynamicSharedMemory = 2048;
  r.localMemoryPerThread = 64;
  r.correlationId = 515;
  r.graphId = 9;
  r.graphNodeId = 0x900000001;
  fake.Deliver(r);
  Collect();
  ASSERT_EQ(events.kernels.size(), 1u);
  const record::Kernel& k = events.kernels[0];
  EXPECT_EQ(k.start, kMonotonicNow + 1000);
  EXPECT_EQ(k.end, kMonotonicNow + 3500);
  EXPECT_EQ(k.correlation, 515u);
  EXPECT_EQ(k.graph_id, 9u);
  EXPECT_EQ(k.graph_node_id, 0x900000001u);
  EXPECT_EQ(k.process, 0u);
  EXPECT_EQ(dictionary.lane(k.lane), (record::Lane{.device = 2, .context = 3, .stream = 13}));
  const record::KernelShape& shape = dictionary.shape(k.shape);
  EXPECT_EQ(Text(shape.name), "_Z4gemmPf");
  const record::KernelShape expected{.name = shape.name,
                                     .grid = {10, 20, 30},
                                     .block = {128, 2, 4},
                                     .cluster = {5, 6, 7},
                                     .registers = 96,
                                     .static_shared = 1024,
                                     .dynamic_shared = 2048,
                                     .local_per_thread = 64};
  EXPECT_EQ(shape, expected);
}

TEST_F(DecodeTest, KernelWithoutName) {
  ASSERT_TRUE(Start());
  fake.Deliver(KernelRecordAt(1, 2, nullptr), KernelRecordAt(3, 4, nullptr));
  Collect();
  ASSERT_EQ(events.kernels.size(), 2u);
  EXPECT_EQ(dictionary.shape(events.kernels[1].shape).name, 0u);
}

TEST_F(DecodeTest, Memcpy) {
  ASSERT_TRUE(Start());
  CUpti_ActivityMemcpy6 r{};
  r.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  r.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  r.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  r.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  r.flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
  r.bytes = 1ull << 33;
  r.start = kCuptiNow + 10;
  r.end = kCuptiNow + 30;
  r.deviceId = 1, r.contextId = 2, r.streamId = 14;
  r.correlationId = 77;
  r.graphId = 4;
  r.graphNodeId = 5;
  fake.Deliver(r);
  Collect();
  ASSERT_EQ(events.memcpys.size(), 1u);
  const record::Memcpy& c = events.memcpys[0];
  EXPECT_EQ(c.start, kMonotonicNow + 10);
  EXPECT_EQ(c.end, kMonotonicNow + 30);
  EXPECT_EQ(c.bytes, 1ull << 33);
  EXPECT_EQ(c.copy_kind, record::CopyKind::kHtoD);
  EXPECT_EQ(c.src, record::MemoryKind::kPinned);
  EXPECT_EQ(c.dst, record::MemoryKind::kDevice);
  EXPECT_TRUE(c.async);
  EXPECT_EQ(c.correlation, 77u);
  EXPECT_EQ(c.graph_id, 4u);
  EXPECT_EQ(c.graph_node_id, 5u);
  EXPECT_EQ(c.src_device, -1);
  EXPECT_EQ(dictionary.lane(c.lane), (record::Lane{.device = 1, .context = 2, .stream = 14}));
}

TEST_F(DecodeTest, MemcpyOfKindsFromTheFutureIsUnknown) {
  ASSERT_TRUE(Start());
  CUpti_ActivityMemcpy6 r{};
  r.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  r.copyKind = 11;
  r.srcKind = 8;
  r.dstKind = 255;
  fake.Deliver(r);
  Collect();
  ASSERT_EQ(events.memcpys.size(), 1u);
  EXPECT_EQ(events.memcpys[0].copy_kind, record::CopyKind::kUnknown);
  EXPECT_EQ(events.memcpys[0].src, record::MemoryKind::kUnknown);
  EXPECT_EQ(events.memcpys[0].dst, record::MemoryKind::kUnknown);
  EXPECT_FALSE(events.memcpys[0].async);
}

TEST_F(DecodeTest, PeerMemcpy) {
  ASSERT_TRUE(Start());
  CUpti_ActivityMemcpyPtoP4 r{};
  r.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
  r.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
  r.bytes = 4096;
  r.start = kCuptiNow + 5;
  r.end = kCuptiNow + 6;
  r.deviceId = 3, r.contextId = 1, r.streamId = 7;
  r.srcDeviceId = 3;
  r.dstDeviceId = 6;
  r.correlationId = 88;
  fake.Deliver(r);
  Collect();
  ASSERT_EQ(events.memcpys.size(), 1u);
  EXPECT_EQ(events.memcpys[0].copy_kind, record::CopyKind::kPtoP);
  EXPECT_EQ(events.memcpys[0].src_device, 3);
  EXPECT_EQ(events.memcpys[0].dst_device, 6);
  EXPECT_EQ(events.memcpys[0].correlation, 88u);
}

TEST_F(DecodeTest, Memset) {
  ASSERT_TRUE(Start());
  CUpti_ActivityMemset4 r{};
  r.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  r.value = 0xab;
  r.bytes = 512;
  r.start = kCuptiNow + 7;
  r.end = kCuptiNow + 9;
  r.contextId = 1, r.streamId = 7;
  r.correlationId = 99;
  r.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_MANAGED;
  r.graphId = 2;
  r.graphNodeId = 3;
  fake.Deliver(r);
  Collect();
  ASSERT_EQ(events.memsets.size(), 1u);
  const record::Memset& m = events.memsets[0];
  EXPECT_EQ(m.start, kMonotonicNow + 7);
  EXPECT_EQ(m.end, kMonotonicNow + 9);
  EXPECT_EQ(m.bytes, 512u);
  EXPECT_EQ(m.value, 0xabu);
  EXPECT_EQ(m.correlation, 99u);
  EXPECT_EQ(m.memory, record::MemoryKind::kManaged);
  EXPECT_EQ(m.graph_id, 2u);
  EXPECT_EQ(m.graph_node_id, 3u);
}

TEST_F(DecodeTest, GraphLaunch) {
  ASSERT_TRUE(Start());
  CUpti_ActivityGraphTrace2 r{};
  r.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
  r.start = kCuptiNow + 50;
  r.end = kCuptiNow + 950;
  r.graphId = 12;
  r.deviceId = 0, r.contextId = 1, r.streamId = 13;
  r.correlationId = 321;
  fake.Deliver(r);
  Collect();
  ASSERT_EQ(events.graphs.size(), 1u);
  EXPECT_EQ(events.graphs[0].start, kMonotonicNow + 50);
  EXPECT_EQ(events.graphs[0].end, kMonotonicNow + 950);
  EXPECT_EQ(events.graphs[0].graph_id, 12u);
  EXPECT_EQ(events.graphs[0].correlation, 321u);
  EXPECT_EQ(dictionary.lane(events.graphs[0].lane).stream, 13u);
}

TEST_F(DecodeTest, ApiCalls) {
  ASSERT_TRUE(Start());
  CUpti_ActivityAPI launch = CallRecord(CUPTI_ACTIVITY_KIND_RUNTIME, 505, 41, 4321);
  CUpti_ActivityAPI failed = CallRecord(CUPTI_ACTIVITY_KIND_DRIVER, 514, 42, 4322);
  failed.returnValue = 700;
  fake.Deliver(launch, failed);
  Collect();
  ASSERT_EQ(events.calls.size(), 2u);
  const record::ApiCall& a = events.calls[0];
  EXPECT_EQ(a.start, kMonotonicNow + 100);
  EXPECT_EQ(a.end, kMonotonicNow + 200);
  EXPECT_EQ(a.domain, record::ApiDomain::kRuntime);
  EXPECT_EQ(a.api_class, record::ApiClass::kKernelLaunch);
  EXPECT_EQ(a.cbid, 505u);
  EXPECT_EQ(a.correlation, 41u);
  EXPECT_EQ(a.thread, 4321u);
  EXPECT_EQ(a.return_value, 0);
  EXPECT_EQ(Text(a.name), "__cudaLaunchKernel");
  EXPECT_FALSE(a.captured);
  EXPECT_EQ(events.calls[1].domain, record::ApiDomain::kDriver);
  EXPECT_EQ(events.calls[1].api_class, record::ApiClass::kGraphLaunch);
  EXPECT_EQ(events.calls[1].return_value, 700);
  EXPECT_EQ(Text(events.calls[1].name), "cuGraphLaunch");
}

// Ids above our header's, without a name: passed on, as a number.
TEST_F(DecodeTest, BugLog65_UnknownApiIdHasNoName) {
  ASSERT_TRUE(Start());
  fake.Deliver(CallRecord(CUPTI_ACTIVITY_KIND_RUNTIME, 1999, 1), CallRecord(CUPTI_ACTIVITY_KIND_RUNTIME, 123456, 2));
  Collect();
  ASSERT_EQ(events.calls.size(), 2u);
  for (const record::ApiCall& call : events.calls) {
    EXPECT_EQ(call.name, 0u);
    EXPECT_EQ(call.api_class, record::ApiClass::kOther);
  }
  EXPECT_EQ(events.calls[1].cbid, 123456u);
}

TEST_F(DecodeTest, Synchronizations) {
  ASSERT_TRUE(Start());
  CUpti_ActivityContext3 c{};
  c.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
  c.contextId = 5;
  c.deviceId = 1;
  CUpti_ActivitySynchronization2 stream{};
  stream.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  stream.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
  stream.start = kCuptiNow + 1;
  stream.end = kCuptiNow + 4;
  stream.correlationId = 6;
  stream.contextId = 5;
  stream.streamId = 13;
  stream.cudaEventId = CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  CUpti_ActivitySynchronization2 event = stream;
  event.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE;
  event.streamId = CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  event.cudaEventId = 3;
  CUpti_ActivitySynchronization2 unknown = stream;
  unknown.type = static_cast<CUpti_ActivitySynchronizationType>(9);
  unknown.contextId = 6;  // never announced
  fake.Deliver(c, stream, event, unknown);
  Collect();
  ASSERT_EQ(events.syncs.size(), 3u);
  EXPECT_EQ(events.syncs[0].kind, record::SyncKind::kStream);
  EXPECT_EQ(events.syncs[0].start, kMonotonicNow + 1);
  EXPECT_EQ(events.syncs[0].end, kMonotonicNow + 4);
  EXPECT_EQ(events.syncs[0].event_id, 0u);
  EXPECT_EQ(events.syncs[0].correlation, 6u);
  EXPECT_EQ(dictionary.lane(events.syncs[0].lane), (record::Lane{.device = 1, .context = 5, .stream = 13}));
  EXPECT_EQ(events.syncs[1].kind, record::SyncKind::kEvent);
  EXPECT_EQ(events.syncs[1].event_id, 3u);
  EXPECT_EQ(events.syncs[1].lane, 0u);
  EXPECT_EQ(events.syncs[2].kind, record::SyncKind::kUnknown);
  EXPECT_EQ(events.syncs[2].lane, 0u);
}

TEST_F(DecodeTest, Overheads) {
  ASSERT_TRUE(Start());
  CUpti_ActivityOverhead3 r{};
  r.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  r.overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH;
  r.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  r.objectId.pt.threadId = 77;
  r.start = kCuptiNow + 11;
  r.end = kCuptiNow + 22;
  CUpti_ActivityOverhead3 lazy = r;
  lazy.overheadKind = CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING;
  lazy.objectKind = CUPTI_ACTIVITY_OBJECT_DEVICE;
  CUpti_ActivityOverhead3 later = r;
  later.overheadKind = static_cast<CUpti_ActivityOverheadKind>(99 << 16);
  fake.Deliver(r, lazy, later);
  Collect();
  ASSERT_EQ(events.overheads.size(), 3u);
  EXPECT_EQ(events.overheads[0].kind, record::OverheadKind::kBufferFlush);
  EXPECT_EQ(events.overheads[0].thread, 77u);
  EXPECT_EQ(events.overheads[0].start, kMonotonicNow + 11);
  EXPECT_EQ(events.overheads[0].end, kMonotonicNow + 22);
  EXPECT_EQ(events.overheads[1].kind, record::OverheadKind::kRuntimeLazyLoad);
  EXPECT_EQ(events.overheads[1].thread, 0u);
  EXPECT_EQ(events.overheads[2].kind, record::OverheadKind::kOther);
}

TEST_F(DecodeTest, DevicesContextsStreamsOnce) {
  ASSERT_TRUE(Start());
  CUpti_ActivityDevice5 d{};
  d.kind = CUPTI_ACTIVITY_KIND_DEVICE;
  d.id = 1;
  d.name = "NVIDIA H100 80GB HBM3";
  memcpy(&d.uuid, "0123456789abcdef", 16);
  d.numMultiprocessors = 132;
  d.computeCapabilityMajor = 9;
  d.globalMemorySize = 80ull << 30;
  d.globalMemoryBandwidth = 3'352'320'000;
  d.coreClockRate = 1'980'000;
  CUpti_ActivityDevice5 mig = d;
  mig.id = 2;
  mig.isMigEnabled = 1;
  memcpy(&mig.migUuid, "migmigmigmigmigm", 16);
  CUpti_ActivityContext3 c{};
  c.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
  c.contextId = 1;
  c.deviceId = 1;
  CUpti_ActivityStream s{};
  s.kind = CUPTI_ACTIVITY_KIND_STREAM;
  s.contextId = 1;
  s.streamId = 13;
  s.priority = static_cast<uint32_t>(-5);
  fake.Deliver(d, mig, d, c, c, s);
  Collect();
  ASSERT_EQ(events.devices.size(), 2u);
  EXPECT_EQ(events.devices[0].ordinal, 1u);
  EXPECT_EQ(Text(events.devices[0].name), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(memcmp(events.devices[0].uuid, "0123456789abcdef", 16), 0);
  EXPECT_FALSE(events.devices[0].is_mig);
  EXPECT_EQ(events.devices[0].sm_count, 132u);
  EXPECT_EQ(events.devices[0].compute_major, 9u);
  EXPECT_EQ(events.devices[0].memory_bytes, 80ull << 30);
  EXPECT_EQ(events.devices[0].memory_bandwidth, 3'352'320'000'000u);
  EXPECT_EQ(events.devices[0].core_clock_khz, 1'980'000u);
  EXPECT_TRUE(events.devices[1].is_mig);
  EXPECT_EQ(memcmp(events.devices[1].uuid, "migmigmigmigmigm", 16), 0);
  ASSERT_EQ(events.contexts.size(), 1u);
  EXPECT_EQ(events.contexts[0].context, 1u);
  EXPECT_EQ(events.contexts[0].device, 1u);
  ASSERT_EQ(events.streams.size(), 1u);
  EXPECT_EQ(events.streams[0].stream, 13u);
  EXPECT_EQ(events.streams[0].context, 1u);
  EXPECT_EQ(events.streams[0].priority, -5);
}

// A newer CUPTI writes longer records: only CUPTI's own step function knows how long.
TEST_F(DecodeTest, BugLog62_LongerRecordsAreSteppedOver) {
  ASSERT_TRUE(Start());
  struct Longer {
    CUpti_ActivityKernel10 known = KernelRecordAt(100, 200, "first");
    uint8_t more[72];
  } longer;
  memset(longer.more, 0xee, sizeof longer.more);
  fake.Deliver(longer, KernelRecordAt(300, 400, "second"));
  Collect();
  ASSERT_EQ(events.kernels.size(), 2u);
  EXPECT_EQ(Text(dictionary.shape(events.kernels[0].shape).name), "first");
  EXPECT_EQ(Text(dictionary.shape(events.kernels[1].shape).name), "second");
  EXPECT_EQ(events.kernels[1].end, kMonotonicNow + 400);
}

TEST_F(DecodeTest, UnknownKindsAreCountedAndSteppedOver) {
  ASSERT_TRUE(Start());
  CUpti_ActivityKernel10 strange = KernelRecordAt(1, 2);
  strange.kind = static_cast<CUpti_ActivityKind>(200);
  fake.Deliver(strange, KernelRecordAt(3, 4), strange);
  Collect();
  EXPECT_EQ(events.kernels.size(), 1u);
  EXPECT_EQ(Lost(base::Loss::kUnknownRecordKind), 2u);
}

TEST_F(DecodeTest, ABufferCutInTheMiddleOfARecordIsReadUpToThere) {
  ASSERT_TRUE(Start());
  fake.fail["cuptiActivityGetNextRecord"] = CUPTI_ERROR_INVALID_KIND;
  fake.Deliver(KernelRecordAt(1, 2));
  Collect();
  EXPECT_TRUE(events.kernels.empty());
  EXPECT_EQ(Lost(base::Loss::kUnfinishedRecord), 1u);
}

}  // namespace
}  // namespace slowtoken::cupti
