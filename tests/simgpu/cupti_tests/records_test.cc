// What a record says and where it lies, against the header's statements.
#include <cupti.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "client.h"
#include "kernels.h"
#include "scenario.h"

namespace simgpu_test {
namespace {

uint64_t RealtimeNs() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
}

// The kernel record takes its place at launch, API records at exit, the nested driver call before its runtime call; one
// id for all three.
TEST(Records, OrderInBufferAndSharedCorrelationId) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({kKernelKind, CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER});
    cudaFree(nullptr);
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    client.Flush();
    const auto kernels = client.Kernels();
    ASSERT_EQ(kernels.size(), 1u);
    std::vector<CUpti_ActivityKind> order;
    for (const Record& record : client.Records()) {
      const bool kernel = record.kind() == kKernelKind;
      const bool api = record.kind() == CUPTI_ACTIVITY_KIND_RUNTIME || record.kind() == CUPTI_ACTIVITY_KIND_DRIVER;
      if (kernel || (api && record.as<CUpti_ActivityAPI>().correlationId == kernels[0].correlationId))
        order.push_back(record.kind());
    }
    EXPECT_EQ(order, (std::vector{kKernelKind, CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_ACTIVITY_KIND_RUNTIME}));
  });
}

TEST(Records, LaunchOfTripleAngleBracketsIsCbid505) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({kKernelKind, CUPTI_ACTIVITY_KIND_RUNTIME});
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    client.Flush();
    const auto kernels = client.Kernels();
    ASSERT_EQ(kernels.size(), 1u);
    for (const auto& api : client.All<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_RUNTIME)) {
      if (api.correlationId == kernels[0].correlationId) {
        EXPECT_EQ(api.cbid, CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000);
      }
    }
  });
}

TEST(Records, KernelFieldsAndExactDuration) {
  Scenario("", [] {
    const uint64_t before = RealtimeNs();
    Client& client = Client::Get();
    client.Register();
    client.Enable({kKernelKind});
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    client.Flush();
    const auto kernels = client.Kernels();
    ASSERT_EQ(kernels.size(), 1u);
    const auto& kernel = kernels[0];
    EXPECT_EQ(kernel.end - kernel.start, kShortNs);
    EXPECT_EQ(kernel.completed, kernel.end);
    EXPECT_GE(kernel.start, before);  // CUPTI's clock is CLOCK_REALTIME
    EXPECT_LE(kernel.end, RealtimeNs());
    EXPECT_NE(std::string(kernel.name).find("ShortKernel"), std::string::npos);
    EXPECT_EQ(kernel.gridX, kGrid);
    EXPECT_EQ(kernel.blockX, kBlock);
    EXPECT_EQ(kernel.streamId, 7u);
    EXPECT_EQ(kernel.graphId, 0u);
    EXPECT_EQ(kernel.graphNodeId, 0u);
    EXPECT_EQ(kernel.queued, 0u);  // latency timestamps are off by default
    EXPECT_EQ(kernel.submitted, 0u);
    EXPECT_GT(kernel.registersPerThread, 0u);
  });
}

TEST(Records, LatencyTimestampsWhenAskedFor) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    EXPECT_EQ(cuptiActivityEnableLatencyTimestamps(1), CUPTI_SUCCESS);
    client.Enable({kKernelKind});
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    client.Flush();
    const auto kernels = client.Kernels();
    ASSERT_EQ(kernels.size(), 1u);
    EXPECT_GT(kernels[0].queued, 0u);
    EXPECT_LE(kernels[0].queued, kernels[0].submitted);
    EXPECT_LE(kernels[0].submitted, kernels[0].start);
  });
}

TEST(Records, ExternalCorrelationDirectlyBeforeTheApiRecord) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION});
    cudaFree(nullptr);
    cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 1);
    cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 42);
    cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2, 43);
    LaunchShort(nullptr);
    uint64_t last = 0;
    EXPECT_EQ(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last), CUPTI_SUCCESS);
    EXPECT_EQ(last, 42u);
    EXPECT_EQ(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, nullptr), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last),
              CUPTI_ERROR_QUEUE_EMPTY);
    EXPECT_EQ(cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_INVALID, 1),
              CUPTI_ERROR_INVALID_PARAMETER);
    client.Flush();
    const auto records = client.Records();
    size_t at = 0;
    while (at < records.size() && records[at].kind() != CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) ++at;
    ASSERT_LT(at + 2, records.size());
    const auto& first = records[at].as<CUpti_ActivityExternalCorrelation>();
    const auto& second = records[at + 1].as<CUpti_ActivityExternalCorrelation>();
    EXPECT_EQ(first.externalKind, CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0);
    EXPECT_EQ(first.externalId, 42u);  // the top of the stack only
    ASSERT_EQ(records[at + 1].kind(), CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
    EXPECT_EQ(second.externalId, 43u);
    ASSERT_EQ(records[at + 2].kind(), CUPTI_ACTIVITY_KIND_RUNTIME);
    EXPECT_EQ(records[at + 2].as<CUpti_ActivityAPI>().correlationId, first.correlationId);
  });
}

TEST(Records, CopiesAndSets) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_RUNTIME});
    void* device = nullptr;
    std::vector<char> host(4096);
    cudaMalloc(&device, host.size());
    cudaMemset(device, 0x5a, host.size());
    cudaMemcpy(host.data(), device, host.size(), cudaMemcpyDeviceToHost);
    cudaDeviceSynchronize();
    client.Flush();
    EXPECT_EQ(host[7], 0x5a);
    const auto copies = client.All<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY);
    const auto sets = client.All<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
    ASSERT_EQ(copies.size(), 1u);
    ASSERT_EQ(sets.size(), 1u);
    EXPECT_EQ(copies[0].bytes, host.size());
    EXPECT_EQ(copies[0].copyKind, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH);
    EXPECT_EQ(copies[0].srcKind, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE);
    EXPECT_EQ(copies[0].dstKind, CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE);
    EXPECT_EQ(copies[0].copyCount, 1u);
    EXPECT_GT(copies[0].end, copies[0].start);
    EXPECT_EQ(sets[0].bytes, host.size());
    EXPECT_EQ(sets[0].value, 0x5au);
    EXPECT_EQ(sets[0].memoryKind, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE);
    EXPECT_LE(sets[0].end, copies[0].start);
  });
}

TEST(Records, SynchronisationAndEventRecordsNameTheSameEvent) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_CUDA_EVENT, CUPTI_ACTIVITY_KIND_RUNTIME});
    cudaEvent_t event = nullptr;
    cudaStream_t stream = nullptr;
    cudaEventCreate(&event);
    cudaStreamCreate(&stream);
    LaunchShort(stream);
    cudaEventRecord(event, stream);
    cudaStreamWaitEvent(nullptr, event, 0);
    cudaEventSynchronize(event);
    cudaStreamSynchronize(stream);
    cudaDeviceSynchronize();
    client.Flush();
    const auto events = client.All<CUpti_ActivityCudaEvent2>(CUPTI_ACTIVITY_KIND_CUDA_EVENT);
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].deviceTimestamp, 0u);  // off by default
    bool event_sync = false, stream_wait = false, stream_sync = false, context_sync = false;
    for (const auto& sync : client.All<CUpti_ActivitySynchronization2>(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION)) {
      switch (sync.type) {
        case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE:
          event_sync = true;
          EXPECT_EQ(sync.cudaEventId, events[0].eventId);
          EXPECT_EQ(sync.cudaEventSyncId, events[0].cudaEventSyncId);
          EXPECT_EQ(sync.streamId, CUPTI_SYNCHRONIZATION_INVALID_VALUE);
          break;
        case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT:
          stream_wait = true;
          EXPECT_EQ(sync.cudaEventSyncId, events[0].cudaEventSyncId);
          EXPECT_EQ(sync.streamId, 7u);
          break;
        case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE:
          stream_sync = true;
          EXPECT_EQ(sync.streamId, events[0].streamId);
          EXPECT_EQ(sync.cudaEventId, CUPTI_SYNCHRONIZATION_INVALID_VALUE);
          break;
        case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE:
          context_sync = true;
          EXPECT_EQ(sync.streamId, CUPTI_SYNCHRONIZATION_INVALID_VALUE);
          break;
        default:
          ADD_FAILURE() << "type " << sync.type;
      }
      EXPECT_LE(sync.start, sync.end);
    }
    EXPECT_TRUE(event_sync);
    EXPECT_TRUE(stream_wait);
    EXPECT_TRUE(stream_sync);
    EXPECT_TRUE(context_sync);
  });
}

TEST(Records, DeviceContextAndStreamOnceAtCreation) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({CUPTI_ACTIVITY_KIND_DEVICE, CUPTI_ACTIVITY_KIND_CONTEXT, CUPTI_ACTIVITY_KIND_STREAM});
    cudaFree(nullptr);
    cudaStream_t stream = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    LaunchShort(stream);
    cudaDeviceSynchronize();
    client.Flush();
    const auto devices = client.All<CUpti_ActivityDevice5>(CUPTI_ACTIVITY_KIND_DEVICE);
    const auto contexts = client.All<CUpti_ActivityContext3>(CUPTI_ACTIVITY_KIND_CONTEXT);
    const auto streams = client.All<CUpti_ActivityStream>(CUPTI_ACTIVITY_KIND_STREAM);
    int count = 0;
    cudaGetDeviceCount(&count);
    ASSERT_EQ(devices.size(), static_cast<size_t>(count));
    cudaDeviceProp properties{};
    cudaGetDeviceProperties(&properties, 0);
    EXPECT_STREQ(devices[0].name, properties.name);
    EXPECT_EQ(devices[0].numMultiprocessors, static_cast<uint32_t>(properties.multiProcessorCount));
    EXPECT_EQ(devices[0].computeCapabilityMajor, static_cast<uint32_t>(properties.major));
    ASSERT_EQ(contexts.size(), 1u);
    EXPECT_EQ(contexts[0].nullStreamId, 7u);
    ASSERT_EQ(streams.size(), 2u);
    EXPECT_EQ(streams[0].flag, CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL);
    EXPECT_EQ(streams[1].flag, CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING);
    uint32_t id = 0;
    EXPECT_EQ(cuptiGetStreamIdEx(nullptr, stream, 0, &id), CUPTI_SUCCESS);
    EXPECT_EQ(streams[1].streamId, id);
  });
}

TEST(Records, EnableAndDumpGivesALateClientWhatExists) {
  Scenario("", [] {
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    Client& client = Client::Get();
    EXPECT_EQ(cuptiActivityEnableAndDump(CUPTI_ACTIVITY_KIND_DEVICE), CUPTI_ERROR_UNKNOWN);  // no buffers yet
    client.Register();
    for (const auto kind : {CUPTI_ACTIVITY_KIND_DEVICE, CUPTI_ACTIVITY_KIND_CONTEXT, CUPTI_ACTIVITY_KIND_STREAM}) {
      EXPECT_EQ(cuptiActivityEnableAndDump(kind), CUPTI_SUCCESS);
    }
    client.Flush();
    EXPECT_GE(client.Of({CUPTI_ACTIVITY_KIND_DEVICE}).size(), 1u);
    EXPECT_EQ(client.Of({CUPTI_ACTIVITY_KIND_CONTEXT}).size(), 1u);
    EXPECT_EQ(client.Of({CUPTI_ACTIVITY_KIND_STREAM}).size(), 2u);
  });
}

TEST(Records, ThreadIdByType) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({CUPTI_ACTIVITY_KIND_RUNTIME});
    cudaFree(nullptr);
    EXPECT_EQ(cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM), CUPTI_SUCCESS);
    cudaDeviceSynchronize();
    client.Flush();
    const auto apis = client.All<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_RUNTIME);
    ASSERT_GE(apis.size(), 2u);
    EXPECT_EQ(apis.front().threadId, static_cast<uint32_t>(pthread_self()));
    EXPECT_EQ(apis.back().threadId, static_cast<uint32_t>(gettid()));
    EXPECT_EQ(apis.back().processId, static_cast<uint32_t>(getpid()));
  });
}

TEST(Records, ApiRecordCarriesTheReturnValue) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({CUPTI_ACTIVITY_KIND_RUNTIME});
    cudaFree(nullptr);
    EXPECT_NE(cudaSetDevice(99), cudaSuccess);
    client.Flush();
    const auto apis = client.All<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_RUNTIME);
    ASSERT_FALSE(apis.empty());
    EXPECT_EQ(apis.back().cbid, CUPTI_RUNTIME_TRACE_CBID_cudaSetDevice_v3020);
    EXPECT_EQ(apis.back().returnValue, static_cast<uint32_t>(cudaErrorInvalidDevice));
  });
}

TEST(Records, OverheadOfABufferRequestNamesItsCall) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_OVERHEAD});
    cudaGetLastError();
    client.Flush();
    const auto overheads = client.All<CUpti_ActivityOverhead3>(CUPTI_ACTIVITY_KIND_OVERHEAD);
    const auto apis = client.All<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_RUNTIME);
    ASSERT_EQ(overheads.size(), 1u);
    ASSERT_GE(apis.size(), 1u);
    EXPECT_EQ(overheads[0].overheadKind, CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST);
    EXPECT_EQ(overheads[0].correlationId, apis[0].correlationId);
    EXPECT_LE(overheads[0].start, overheads[0].end);
  });
}

TEST(Records, TimestampIsRealtimeOrTheClients) {
  Scenario("", [] {
    const uint64_t before = RealtimeNs();
    uint64_t now = 0;
    EXPECT_EQ(cuptiGetTimestamp(&now), CUPTI_SUCCESS);
    EXPECT_GE(now + 100'000, before);
    EXPECT_LE(now, RealtimeNs() + 100'000);
    EXPECT_EQ(cuptiActivityRegisterTimestampCallback(nullptr), CUPTI_ERROR_INVALID_PARAMETER);
    EXPECT_EQ(cuptiActivityRegisterTimestampCallback([]() -> uint64_t { return 5; }), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiGetTimestamp(&now), CUPTI_SUCCESS);
    EXPECT_EQ(now, 5u);
  });
}

}  // namespace
}  // namespace simgpu_test
