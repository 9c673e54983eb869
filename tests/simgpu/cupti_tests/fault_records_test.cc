// Each record fault of the plan has its effect, and only that.
#include <cupti.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "client.h"
#include "kernels.h"
#include "scenario.h"

namespace simgpu_test {
namespace {

void RunKernels(int count, std::initializer_list<CUpti_ActivityKind> more = {}) {
  Client& client = Client::Get();
  client.Register();
  client.Enable({kKernelKind});
  client.Enable(more);
  cudaFree(nullptr);
  for (int i = 0; i < count; ++i) LaunchShort(nullptr);
  cudaDeviceSynchronize();
  client.ForceFlush();
}

std::vector<uint32_t> Ids() {
  std::vector<uint32_t> ids;
  for (const auto& kernel : Client::Get().Kernels()) ids.push_back(kernel.correlationId);
  return ids;
}

TEST(RecordFaults, BugLog97_ShuffledInsideABuffer) {
  Scenario("cupti.shuffle=in", [] {
    RunKernels(50);
    std::vector<uint32_t> ids = Ids();
    EXPECT_FALSE(std::is_sorted(ids.begin(), ids.end()));
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), 50u);  // all there, once
  });
}

TEST(RecordFaults, BugLog97_ShuffledAcrossBuffers) {
  Scenario("cupti.shuffle=across+buffers;cupti.delay_complete=1000", [] {
    Client::Get().max_records = 5;
    RunKernels(50);
    bool mixed = false;
    std::map<size_t, uint32_t> largest;
    for (const Record& record : Client::Get().Of({kKernelKind})) {
      const uint32_t id = record.as<CUpti_ActivityKernel10>().correlationId;
      mixed = mixed || (record.buffer > 0 && largest[record.buffer - 1] > id);
      largest[record.buffer] = std::max(largest[record.buffer], id);
    }
    EXPECT_TRUE(mixed);
    const auto ids = Ids();
    EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), 50u);
  });
}

TEST(RecordFaults, Repeated) {
  Scenario("cupti.repeat=kernel:100", [] {
    RunKernels(4);
    const auto kernels = Client::Get().Kernels();
    ASSERT_EQ(kernels.size(), 8u);
    for (size_t i = 0; i < 8; i += 2) {
      EXPECT_EQ(kernels[i].correlationId, kernels[i + 1].correlationId);
      EXPECT_EQ(kernels[i].start, kernels[i + 1].start);  // the copy is as complete as the original
      EXPECT_GT(kernels[i + 1].end, 0u);
    }
  });
}

TEST(RecordFaults, BugLog38_DroppedSilentlyByClass) {
  Scenario("cupti.drop=graph_kernel:100", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({kKernelKind});
    cudaGraphLaunch(MakeGraph(5, false), nullptr);
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    client.Flush();
    EXPECT_EQ(client.Kernels().size(), 1u);
    EXPECT_EQ(Stats().records_lost, 5u);
    size_t dropped = 99;
    cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
    EXPECT_EQ(dropped, 0u);
  });
}

TEST(RecordFaults, DroppedAndCounted) {
  Scenario("cupti.drop_counted=kernel:100", [] {
    RunKernels(3);
    EXPECT_TRUE(Client::Get().Kernels().empty());
    size_t dropped = 0;
    cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
    EXPECT_EQ(dropped, 3u);
  });
}

TEST(RecordFaults, BugLog82_ZeroTimesForSome) {
  Scenario("cupti.zero=kernel:20", [] {
    RunKernels(200);
    const auto kernels = Client::Get().Kernels();
    ASSERT_EQ(kernels.size(), 200u);
    const auto zeros = std::count_if(kernels.begin(), kernels.end(),
                                     [](const auto& kernel) { return kernel.start == 0 && kernel.end == 0; });
    EXPECT_GT(zeros, 15);
    EXPECT_LT(zeros, 80);
  });
}

TEST(RecordFaults, BugLog51_ZeroTimesAfterSomeRecords) {
  Scenario("cupti.zero_after=3", [] {
    RunKernels(6);
    const auto kernels = Client::Get().Kernels();
    ASSERT_EQ(kernels.size(), 6u);
    for (size_t i = 0; i < 6; ++i) EXPECT_EQ(kernels[i].end == 0, i >= 3) << i;
  });
}

TEST(RecordFaults, BugLog88_ShiftedBeforeTheirLaunch) {
  Scenario("cupti.shift=kernel:-5000000", [] {
    RunKernels(2, {CUPTI_ACTIVITY_KIND_RUNTIME});
    Client& client = Client::Get();
    for (const auto& kernel : client.Kernels()) {
      EXPECT_EQ(kernel.end - kernel.start, kShortNs);
      for (const auto& api : client.All<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_RUNTIME)) {
        if (api.correlationId == kernel.correlationId) {
          EXPECT_LT(kernel.start, api.start);
        }
      }
    }
  });
}

TEST(RecordFaults, BugLog86_FirstRecordsOfASessionInAnotherClock) {
  Scenario("cupti.first_k=2:-9000000000", [] {
    RunKernels(4);
    cuptiActivityDisable(kKernelKind);
    RunKernels(3);
    const auto kernels = Client::Get().Kernels();
    ASSERT_EQ(kernels.size(), 7u);
    for (const size_t shifted : {0u, 1u, 4u, 5u})
      EXPECT_LT(kernels[shifted].start + 8'000'000'000u, kernels[3].start) << shifted;
    for (const size_t right : {2u, 6u}) EXPECT_LT(kernels[right].start, kernels[3].start + 8'000'000'000u);
    EXPECT_GT(kernels[6].start, kernels[3].start);
  });
}

TEST(RecordFaults, JitterAndDriftMoveDeviceTimesOnly) {
  Scenario("cupti.jitter=1000;cupti.drift_ppm=50", [] {
    RunKernels(20);
    const auto kernels = Client::Get().Kernels();
    ASSERT_EQ(kernels.size(), 20u);
    std::set<uint64_t> gaps;
    for (size_t i = 1; i < kernels.size(); ++i) {
      EXPECT_EQ(kernels[i].end - kernels[i].start, kShortNs);
      gaps.insert(kernels[i].start - kernels[i - 1].start);
    }
    EXPECT_GT(gaps.size(), 3u);
  });
}

TEST(RecordFaults, BugLog33_ManyKernelsOnOneId) {
  Scenario("cupti.share_id=100", [] {
    RunKernels(200);
    const auto ids = Ids();
    EXPECT_EQ(ids.size(), 200u);
    EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), 2u);
  });
}

TEST(RecordFaults, BugLog95_IdsWrapAndSkipZero) {
  Scenario("cupti.id_base=4294967290", [] {
    RunKernels(20);
    const auto ids = Ids();
    ASSERT_EQ(ids.size(), 20u);
    EXPECT_GT(ids.front(), 4'294'967'200u);
    EXPECT_LT(ids.back(), 1000u);
    EXPECT_EQ(std::count(ids.begin(), ids.end(), 0u), 0);
  });
}

TEST(RecordFaults, UnknownKinds) {
  Scenario("cupti.unknown_kind=2", [] {
    RunKernels(4);
    const auto records = Client::Get().Records();
    const auto unknown = std::count_if(records.begin(), records.end(),
                                       [](const Record& record) { return record.kind() >= CUPTI_ACTIVITY_KIND_COUNT; });
    EXPECT_EQ(unknown, 2);
    EXPECT_EQ(Client::Get().Kernels().size(), 4u);
  });
}

TEST(RecordFaults, LongerRecordsThanTheHeaders) {
  Scenario("cupti.extra_bytes=24", [] {
    RunKernels(3);
    const auto records = Client::Get().Of({kKernelKind});
    ASSERT_EQ(records.size(), 3u);
    for (const Record& record : records) EXPECT_EQ(record.bytes.size(), sizeof(CUpti_ActivityKernel10) + 24);
    EXPECT_EQ(Client::Get().Kernels()[2].end - Client::Get().Kernels()[2].start, kShortNs);
  });
}

TEST(RecordFaults, BugLog65_UnknownApiIds) {
  Scenario("cupti.unknown_cbid=1", [] {
    RunKernels(1, {CUPTI_ACTIVITY_KIND_RUNTIME});
    const auto apis = Client::Get().All<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_RUNTIME);
    ASSERT_FALSE(apis.empty());
    for (const auto& api : apis) EXPECT_GE(api.cbid, static_cast<uint32_t>(CUPTI_RUNTIME_TRACE_CBID_SIZE));
  });
}

TEST(RecordFaults, KernelNamesRecycledOnModuleUnload) {
  Scenario("cupti.recycle_names", [] {
    RunKernels(1);
    const char* name = Client::Get().Kernels().at(0).name;
    EXPECT_NE(std::string(name).find("ShortKernel"), std::string::npos);
    CUmodule module = nullptr;
    ASSERT_EQ(cuModuleLoadData(&module, ".version 8.0\n.target sm_90\n.visible .entry Other()\n{\n ret;\n}\n"),
              CUDA_SUCCESS);
    ASSERT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
    EXPECT_EQ(std::string(name).find("ShortKernel"), std::string::npos);
  });
}

TEST(RecordFaults, BugLog49_RunningKernelWithStartButNoEnd) {
  Scenario("cupti.incomplete_start", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({kKernelKind});
    LaunchLong(nullptr);
    client.ForceFlush();
    const auto kernels = client.Kernels();
    ASSERT_EQ(kernels.size(), 1u);
    EXPECT_GT(kernels[0].start, 0u);
    EXPECT_EQ(kernels[0].end, 0u);
  });
}

TEST(RecordFaults, BugLog35_SilentAfterTheFirstDisable) {
  Scenario("cupti.silent_after_disable", [] {
    RunKernels(2);
    EXPECT_EQ(cuptiActivityDisable(kKernelKind), CUPTI_SUCCESS);
    RunKernels(2);  // every call succeeds, nothing comes
    EXPECT_EQ(Client::Get().Kernels().size(), 2u);
  });
}

}  // namespace
}  // namespace simgpu_test
