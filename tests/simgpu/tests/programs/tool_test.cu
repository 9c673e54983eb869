// What the engine tells a tool: API calls, device records, resources.
#include <cuda.h>
#include <cupti_driver_cbid.h>
#include <cupti_runtime_cbid.h>
#include <generated_cuda_runtime_api_meta.h>
#include <gtest/gtest.h>

#include <set>

#include "fake_tool.h"
#include "kernels.h"

namespace {

constexpr int kToolCount = 64;
constexpr uint32_t kDevice = SIMGPU_WANT_KERNEL | SIMGPU_WANT_MEMCPY | SIMGPU_WANT_MEMSET | SIMGPU_WANT_GRAPH_NODES;
constexpr uint32_t kApi = SIMGPU_WANT_RUNTIME_API | SIMGPU_WANT_DRIVER_API;

class Tool : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(kernels::Register(), nullptr);
    ASSERT_TRUE(tool_.Attach());
    tool_.Clear(0);
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&device_, kToolCount * sizeof(int)), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  void TearDown() override {
    tool_.Clear(0);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    EXPECT_EQ(cudaFree(device_), cudaSuccess);
  }

  FakeTool& tool_ = FakeTool::The();
  cudaStream_t stream_ = nullptr;
  int* device_ = nullptr;
};

TEST_F(Tool, LaunchIsOneRuntimeCallAroundOneDriverCallWithOneId) {
  tool_.Clear(kApi | kDevice);
  AddOne<<<2, 32, 0, stream_>>>(device_, kToolCount);
  ASSERT_EQ(tool_.calls.size(), 2u);  // in order of exit
  const SeenCall &driver = tool_.calls[0], &runtime = tool_.calls[1];
  EXPECT_EQ(runtime.domain, SIMGPU_DOMAIN_RUNTIME);
  EXPECT_EQ(runtime.cbid, CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000);
  EXPECT_EQ(runtime.symbol, "_Z6AddOnePii");
  EXPECT_FALSE(runtime.nested);
  EXPECT_EQ(driver.domain, SIMGPU_DOMAIN_DRIVER);
  EXPECT_TRUE(driver.nested);
  EXPECT_EQ(driver.correlation, runtime.correlation);
  EXPECT_LE(runtime.enter_ns, driver.enter_ns);
  EXPECT_LE(driver.exit_ns, runtime.exit_ns);
  const auto kernels_seen = tool_.OfKind(SIMGPU_RECORD_KERNEL);
  ASSERT_EQ(kernels_seen.size(), 1u);
  EXPECT_EQ(kernels_seen[0]->record.correlation_id, runtime.correlation);
}

TEST_F(Tool, CorrelationDataIsSharedByEnterAndExit) {
  tool_.Clear(kApi);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  ASSERT_FALSE(tool_.calls.empty());
  for (const SeenCall& call : tool_.calls) EXPECT_EQ(call.correlation_data, 4711u);
}

TEST_F(Tool, EveryCallHasItsOwnId) {
  tool_.Clear(SIMGPU_WANT_RUNTIME_API);
  for (int i = 0; i < 5; ++i) (void)cudaStreamQuery(stream_);
  std::set<uint32_t> ids;
  for (const SeenCall& call : tool_.calls) ids.insert(call.correlation);
  EXPECT_EQ(ids.size(), 5u);
}

TEST_F(Tool, IdsWrapAndSkipZero) {
  const uint32_t before = tool_.engine->next_correlation_id();
  tool_.engine->set_correlation_id(UINT32_MAX);
  tool_.Clear(SIMGPU_WANT_RUNTIME_API);
  (void)cudaStreamQuery(stream_);
  (void)cudaStreamQuery(stream_);
  ASSERT_EQ(tool_.calls.size(), 2u);
  EXPECT_EQ(tool_.calls[0].correlation, UINT32_MAX);
  EXPECT_EQ(tool_.calls[1].correlation, 1u);
  tool_.engine->set_correlation_id(before);
}

TEST_F(Tool, ParametersAreTheGeneratedStruct) {
  static size_t bytes;
  static cudaMemcpyKind kind;
  bytes = 0;
  // The enter hook of the fake tool does not keep params: ask through a second set of hooks.
  static SimgpuToolHooks hooks{};
  static uint32_t wanted = SIMGPU_WANT_RUNTIME_API;
  hooks.struct_size = sizeof(hooks);
  hooks.version = SIMGPU_TOOL_INTERFACE_VERSION;
  hooks.wanted = &wanted;
  hooks.api_enter = [](SimgpuApiCall* call) {
    if (call->cbid != CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020) return;
    const auto* params = static_cast<const cudaMemcpyAsync_v3020_params*>(call->params);
    bytes = params->count;
    kind = params->kind;
  };
  auto attach =
      reinterpret_cast<decltype(&simgpuAttachTool)>(dlsym(dlopen("libcuda.so.1", RTLD_NOW), "simgpuAttachTool"));
  ASSERT_NE(attach(&hooks), nullptr);
  int host = 0;
  ASSERT_EQ(cudaMemcpyAsync(&host, device_, sizeof(host), cudaMemcpyDeviceToHost, stream_), cudaSuccess);
  EXPECT_EQ(bytes, sizeof(host));
  EXPECT_EQ(kind, cudaMemcpyDeviceToHost);
  ASSERT_TRUE(tool_.Attach());
}

TEST_F(Tool, WrongInterfaceVersionIsRefused) {
  auto attach =
      reinterpret_cast<decltype(&simgpuAttachTool)>(dlsym(dlopen("libcuda.so.1", RTLD_NOW), "simgpuAttachTool"));
  SimgpuToolHooks hooks{};
  hooks.version = SIMGPU_TOOL_INTERFACE_VERSION + 1;
  EXPECT_EQ(attach(&hooks), nullptr);
}

TEST_F(Tool, FailedCallShowsItsResultAtExit) {
  tool_.Clear(SIMGPU_WANT_RUNTIME_API);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, size_t{1} << 60), cudaErrorMemoryAllocation);
  cudaGetLastError();
  ASSERT_GE(tool_.calls.size(), 1u);
  EXPECT_EQ(tool_.calls[0].name, "cudaMalloc");
  EXPECT_EQ(tool_.calls[0].result, static_cast<int>(cudaErrorMemoryAllocation));
}

TEST_F(Tool, CallsMadeInsideAHookAreNotReported) {
  tool_.Clear(SIMGPU_WANT_RUNTIME_API);
  tool_.on_enter = [] {
    int count = 0;
    (void)cudaGetDeviceCount(&count);
  };
  (void)cudaStreamQuery(stream_);
  tool_.on_enter = nullptr;
  ASSERT_EQ(tool_.calls.size(), 1u);
  EXPECT_EQ(tool_.calls[0].name, "cudaStreamQuery");
}

TEST_F(Tool, EachImplementedCallMakesOneRecordOfItsCbid) {
  struct Row {
    const char* name;
    void (*call)();
  };
  static cudaStream_t stream;
  static cudaEvent_t event;
  static cudaGraph_t graph;
  static void* memory;
  stream = stream_;
  const Row rows[] = {
      {"cudaEventCreateWithFlags", [] { (void)cudaEventCreateWithFlags(&event, cudaEventDisableTiming); }},
      {"cudaEventRecord", [] { (void)cudaEventRecord(event, stream); }},
      {"cudaStreamWaitEvent", [] { (void)cudaStreamWaitEvent(stream, event, 0); }},
      {"cudaEventSynchronize", [] { (void)cudaEventSynchronize(event); }},
      {"cudaEventQuery", [] { (void)cudaEventQuery(event); }},
      {"cudaEventDestroy", [] { (void)cudaEventDestroy(event); }},
      {"cudaMalloc", [] { (void)cudaMalloc(&memory, 100); }},
      {"cudaMemset", [] { (void)cudaMemset(memory, 0, 100); }},
      {"cudaMemsetAsync", [] { (void)cudaMemsetAsync(memory, 0, 100, stream); }},
      {"cudaFree", [] { (void)cudaFree(memory); }},
      {"cudaMallocAsync", [] { (void)cudaMallocAsync(&memory, 100, stream); }},
      {"cudaFreeAsync", [] { (void)cudaFreeAsync(memory, stream); }},
      {"cudaHostAlloc", [] { (void)cudaHostAlloc(&memory, 100, 0); }},
      {"cudaFreeHost", [] { (void)cudaFreeHost(memory); }},
      {"cudaStreamQuery", [] { (void)cudaStreamQuery(stream); }},
      {"cudaStreamSynchronize", [] { (void)cudaStreamSynchronize(stream); }},
      {"cudaDeviceSynchronize", [] { (void)cudaDeviceSynchronize(); }},
      {"cudaStreamBeginCapture", [] { (void)cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed); }},
      {"cudaStreamEndCapture", [] { (void)cudaStreamEndCapture(stream, &graph); }},
      {"cudaGraphDestroy", [] { (void)cudaGraphDestroy(graph); }},
      {"cudaGetLastError", [] { (void)cudaGetLastError(); }},
  };
  for (const Row& row : rows) {
    tool_.Clear(SIMGPU_WANT_RUNTIME_API);
    row.call();
    ASSERT_EQ(tool_.calls.size(), 1u) << row.name;
    EXPECT_EQ(tool_.calls[0].name, row.name);
    EXPECT_EQ(tool_.calls[0].cbid, tool_.engine->api_cbid(SIMGPU_DOMAIN_RUNTIME, row.name)) << row.name;
    EXPECT_NE(tool_.calls[0].cbid, 0u) << row.name;
    EXPECT_EQ(tool_.calls[0].result, 0) << row.name;
  }
}

TEST_F(Tool, KernelRecordCarriesTheLaunch) {
  tool_.Clear(kDevice);
  Scale<<<dim3(3, 2), dim3(16, 4), 128, stream_>>>(device_, kToolCount, 1);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  const auto seen = tool_.OfKind(SIMGPU_RECORD_KERNEL);
  ASSERT_EQ(seen.size(), 1u);
  const SimgpuRecord& record = seen[0]->record;
  EXPECT_EQ(seen[0]->name, "_Z5ScalePiii");
  EXPECT_EQ(record.grid[0], 3);
  EXPECT_EQ(record.grid[1], 2);
  EXPECT_EQ(record.block[0], 16);
  EXPECT_EQ(record.block[1], 4);
  EXPECT_EQ(record.dynamic_shared, 128u);
  EXPECT_GT(record.registers_per_thread, 0u);
  EXPECT_EQ(record.graph_id, 0u);
  EXPECT_EQ(record.stream_id, tool_.engine->stream_id(nullptr, stream_, 0));
  EXPECT_GE(record.stream_id, 13u);
  EXPECT_TRUE(seen[0]->done);
  EXPECT_EQ(seen[0]->completions, 1);
  EXPECT_EQ(seen[0]->end - seen[0]->start, kernels::kScaleNs);
}

TEST_F(Tool, RecordIsReservedAtLaunchAndCompletedAfterTheEnd) {
  tool_.Clear(kDevice);
  Busy<<<1, 1, 0, stream_>>>(100'000'000);
  const auto seen = tool_.OfKind(SIMGPU_RECORD_KERNEL);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_FALSE(seen[0]->done);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_TRUE(seen[0]->done);
  EXPECT_LE(seen[0]->end, tool_.engine->now_ns());
}

TEST_F(Tool, PumpDeliversWhatIsDue) {
  tool_.Clear(kDevice);
  Busy<<<1, 1, 0, stream_>>>(1000);
  const uint64_t begin = tool_.engine->now_ns();
  while (tool_.engine->now_ns() < begin + 100'000) {
  }
  tool_.engine->pump();
  ASSERT_EQ(tool_.OfKind(SIMGPU_RECORD_KERNEL).size(), 1u);
  EXPECT_TRUE(tool_.OfKind(SIMGPU_RECORD_KERNEL)[0]->done);
}

TEST_F(Tool, CopyRecordsTellKindsAndBytes) {
  int* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 4096), cudaSuccess);
  int pageable[4] = {};
  tool_.Clear(kDevice);
  ASSERT_EQ(cudaMemcpyAsync(device_, pinned, 64, cudaMemcpyHostToDevice, stream_), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(pageable, device_, 16, cudaMemcpyDeviceToHost), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(device_, device_ + 32, 8, cudaMemcpyDeviceToDevice, stream_), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(device_, 7, 32, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  const auto copies = tool_.OfKind(SIMGPU_RECORD_MEMCPY);
  ASSERT_EQ(copies.size(), 3u);
  EXPECT_EQ(copies[0]->record.copy_kind, 1u);  // HTOD
  EXPECT_EQ(copies[0]->record.src_kind, 2u);   // pinned
  EXPECT_EQ(copies[0]->record.dst_kind, 3u);   // device
  EXPECT_EQ(copies[0]->record.bytes, 64u);
  EXPECT_EQ(copies[0]->record.flags, 1u);
  EXPECT_EQ(copies[1]->record.copy_kind, 2u);  // DTOH
  EXPECT_EQ(copies[1]->record.dst_kind, 1u);   // pageable
  EXPECT_EQ(copies[1]->record.flags, 0u);
  EXPECT_EQ(copies[2]->record.copy_kind, 8u);  // DTOD
  const auto sets = tool_.OfKind(SIMGPU_RECORD_MEMSET);
  ASSERT_EQ(sets.size(), 1u);
  EXPECT_EQ(sets[0]->record.memset_value, 7u);
  EXPECT_EQ(sets[0]->record.bytes, 32u);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

class ToolGraph : public Tool {
 protected:
  void SetUp() override {
    Tool::SetUp();
    tool_.Clear(SIMGPU_WANT_RESOURCE);
    ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), cudaSuccess);
    AddOne<<<1, 32, 0, stream_>>>(device_, kToolCount);
    ASSERT_EQ(cudaMemsetAsync(device_, 0, 16, stream_), cudaSuccess);
    Scale<<<1, 32, 0, stream_>>>(device_, kToolCount, 1);
    ASSERT_EQ(cudaStreamEndCapture(stream_, &graph_), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&exec_, graph_, 0), cudaSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(cudaGraphExecDestroy(exec_), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph_), cudaSuccess);
    Tool::TearDown();
  }
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

TEST_F(ToolGraph, ResourceEventsLinkClonesToOriginals) {
  const auto created = tool_.Events(SIMGPU_GRAPHNODE_CREATED);
  const auto cloned = tool_.Events(SIMGPU_GRAPHNODE_CLONED);
  ASSERT_EQ(tool_.Events(SIMGPU_GRAPH_CREATED).size(), 1u);
  ASSERT_EQ(created.size(), 3u);
  ASSERT_EQ(cloned.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(cloned[i].original_node_id, created[i].node_id);
    EXPECT_NE(cloned[i].node_id, created[i].node_id);
  }
  ASSERT_EQ(tool_.Events(SIMGPU_GRAPHNODE_DEPENDENCY_CREATED).size(), 2u);
  const auto executables = tool_.Events(SIMGPU_GRAPHEXEC_CREATED);
  ASSERT_EQ(executables.size(), 1u);
  EXPECT_EQ(executables[0].exec_id, tool_.engine->graph_exec_id(exec_));
  EXPECT_EQ(executables[0].graph_id, tool_.engine->graph_id(graph_));
}

TEST_F(ToolGraph, BugLog33_AllNodesOfALaunchShareItsId) {
  const auto cloned = tool_.Events(SIMGPU_GRAPHNODE_CLONED);
  tool_.Clear(SIMGPU_WANT_RUNTIME_API | kDevice);
  ASSERT_EQ(cudaGraphLaunch(exec_, stream_), cudaSuccess);
  ASSERT_EQ(tool_.calls.size(), 1u);
  ASSERT_EQ(tool_.records.size(), 3u);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(tool_.records[i]->record.correlation_id, tool_.calls[0].correlation);
    EXPECT_EQ(tool_.records[i]->record.graph_id, tool_.engine->graph_exec_id(exec_));
    EXPECT_EQ(tool_.records[i]->record.graph_node_id, cloned[i].node_id);
    EXPECT_TRUE(tool_.records[i]->done);
  }
  EXPECT_EQ(tool_.records[1]->start, tool_.records[0]->end);
  EXPECT_EQ(tool_.records[2]->start, tool_.records[1]->end);
}

TEST_F(ToolGraph, GraphTraceIsOneRecordWithoutNodes) {
  tool_.Clear(SIMGPU_WANT_GRAPH_TRACE | SIMGPU_WANT_KERNEL | SIMGPU_WANT_MEMSET);
  ASSERT_EQ(cudaGraphLaunch(exec_, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  ASSERT_EQ(tool_.records.size(), 1u);
  EXPECT_EQ(tool_.records[0]->record.kind, static_cast<uint32_t>(SIMGPU_RECORD_GRAPH_TRACE));
  EXPECT_EQ(tool_.records[0]->record.graph_id, tool_.engine->graph_exec_id(exec_));
  EXPECT_GT(tool_.records[0]->end - tool_.records[0]->start, kernels::kAddOneNs + kernels::kScaleNs);
}

TEST_F(Tool, StreamsAndSynchronisationAreTold) {
  tool_.Clear(SIMGPU_WANT_RESOURCE | SIMGPU_WANT_SYNC);
  cudaStream_t made = nullptr;
  ASSERT_EQ(cudaStreamCreate(&made), cudaSuccess);
  ASSERT_EQ(tool_.Events(SIMGPU_STREAM_CREATED).size(), 1u);
  EXPECT_EQ(tool_.Events(SIMGPU_STREAM_CREATED)[0].event.stream_id, tool_.engine->stream_id(nullptr, made, 0));
  Busy<<<1, 1, 0, made>>>(2'000'000);
  ASSERT_EQ(cudaStreamSynchronize(made), cudaSuccess);
  const auto waits = tool_.OfKind(SIMGPU_RECORD_SYNC);
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0]->record.sync_type, 3u);  // stream
  EXPECT_GT(waits[0]->end - waits[0]->start, 1'000'000u);
  EXPECT_EQ(tool_.Events(SIMGPU_STREAM_SYNCHRONIZED).size(), 1u);
  ASSERT_EQ(cudaStreamDestroy(made), cudaSuccess);
  EXPECT_EQ(tool_.Events(SIMGPU_STREAM_DESTROY_STARTING).size(), 1u);
}

TEST_F(Tool, DetachedToolHearsNothing) {
  tool_.Clear(kApi | kDevice);
  auto attach =
      reinterpret_cast<decltype(&simgpuAttachTool)>(dlsym(dlopen("libcuda.so.1", RTLD_NOW), "simgpuAttachTool"));
  ASSERT_NE(attach(nullptr), nullptr);
  AddOne<<<1, 32, 0, stream_>>>(device_, kToolCount);
  EXPECT_TRUE(tool_.calls.empty());
  EXPECT_TRUE(tool_.records.empty());
  ASSERT_TRUE(tool_.Attach());
}

TEST_F(Tool, EngineKnowsItsNamesDevicesAndClock) {
  EXPECT_STREQ(tool_.engine->api_name(SIMGPU_DOMAIN_RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020),
               "cudaMalloc_v3020");
  EXPECT_STREQ(tool_.engine->api_name(SIMGPU_DOMAIN_DRIVER, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel), "cuLaunchKernel");
  EXPECT_EQ(tool_.engine->api_name(SIMGPU_DOMAIN_DRIVER, 1u << 20), nullptr);
  SimgpuDeviceInfo info{};
  ASSERT_EQ(tool_.engine->device_info(0, &info), 0);
  EXPECT_EQ(info.multiprocessors, 132u);
  EXPECT_EQ(tool_.engine->device_info(99, &info), -1);
  const uint64_t now = tool_.engine->now_ns();
  EXPECT_EQ(tool_.engine->wall_ns(now + 1000) - tool_.engine->wall_ns(now), 1000u);
  EXPECT_EQ(tool_.engine->wall_ns(0), 0u);
}

}  // namespace
