// Graphs: capture, hand-made nodes, launch, update, errors.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "kernels.h"

namespace {

constexpr int kGraphCount = 256;

class Graphs : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(kernels::Register(), nullptr);
    ASSERT_EQ(cudaStreamCreateWithFlags(&a_, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaStreamCreateWithFlags(&b_, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaEventCreate(&fork_), cudaSuccess);
    ASSERT_EQ(cudaEventCreate(&join_), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&device_, kGraphCount * sizeof(int)), cudaSuccess);
    ASSERT_EQ(cudaMemset(device_, 0, kGraphCount * sizeof(int)), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    if (exec_ != nullptr) EXPECT_EQ(cudaGraphExecDestroy(exec_), cudaSuccess);
    if (graph_ != nullptr) EXPECT_EQ(cudaGraphDestroy(graph_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(a_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(b_), cudaSuccess);
    EXPECT_EQ(cudaFree(device_), cudaSuccess);
  }
  int First() {
    int value = -1;
    EXPECT_EQ(cudaMemcpy(&value, device_, sizeof(value), cudaMemcpyDeviceToHost), cudaSuccess);
    return value;
  }
  void CaptureAddThenScale(int factor) {
    ASSERT_EQ(cudaStreamBeginCapture(a_, cudaStreamCaptureModeGlobal), cudaSuccess);
    AddOne<<<1, kGraphCount, 0, a_>>>(device_, kGraphCount);
    Scale<<<1, kGraphCount, 0, a_>>>(device_, kGraphCount, factor);
    ASSERT_EQ(cudaStreamEndCapture(a_, &graph_), cudaSuccess);
  }
  cudaKernelNodeParams AddParams() {
    static int count = kGraphCount;
    static void* arguments[2];
    arguments[0] = &device_;
    arguments[1] = &count;
    cudaKernelNodeParams params{};
    params.func = reinterpret_cast<void*>(AddOne);
    params.gridDim = dim3(1);
    params.blockDim = dim3(kGraphCount);
    params.kernelParams = arguments;
    return params;
  }

  cudaStream_t a_ = nullptr, b_ = nullptr;
  cudaEvent_t fork_ = nullptr, join_ = nullptr;
  int* device_ = nullptr;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

TEST_F(Graphs, CaptureDoesNothingAndThreeLaunchesWorkThreeTimes) {
  CaptureAddThenScale(2);
  EXPECT_EQ(First(), 0);
  ASSERT_EQ(cudaGraphInstantiate(&exec_, graph_, 0), cudaSuccess);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(cudaGraphLaunch(exec_, a_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(a_), cudaSuccess);
  EXPECT_EQ(First(), 14);  // ((0+1)*2+1)*2+1)*2
}

TEST_F(Graphs, LaunchTakesTheSumOfAChain) {
  CaptureAddThenScale(2);
  ASSERT_EQ(cudaGraphInstantiate(&exec_, graph_, 0), cudaSuccess);
  Busy<<<1, 1, 0, a_>>>(50'000'000);
  ASSERT_EQ(cudaEventRecord(fork_, a_), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(exec_, a_), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(join_, a_), cudaSuccess);
  ASSERT_EQ(cudaEventSynchronize(join_), cudaSuccess);
  float milliseconds = 0;
  ASSERT_EQ(cudaEventElapsedTime(&milliseconds, fork_, join_), cudaSuccess);
  EXPECT_FLOAT_EQ(milliseconds, static_cast<float>(kernels::kAddOneNs + kernels::kScaleNs) / 1e6f);
}

TEST_F(Graphs, CaptureOverTwoStreamsMakesADiamond) {
  ASSERT_EQ(cudaStreamBeginCapture(a_, cudaStreamCaptureModeGlobal), cudaSuccess);
  AddOne<<<1, kGraphCount, 0, a_>>>(device_, kGraphCount);
  ASSERT_EQ(cudaEventRecord(fork_, a_), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(b_, fork_), cudaSuccess);
  Busy<<<1, 1, 0, b_>>>(400'000);
  Busy<<<1, 1, 0, a_>>>(300'000);
  ASSERT_EQ(cudaEventRecord(join_, b_), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(a_, join_), cudaSuccess);
  Scale<<<1, kGraphCount, 0, a_>>>(device_, kGraphCount, 5);
  ASSERT_EQ(cudaStreamEndCapture(a_, &graph_), cudaSuccess);
  size_t nodes = 0, edges = 0;
  ASSERT_EQ(cudaGraphGetNodes(graph_, nullptr, &nodes), cudaSuccess);
  ASSERT_EQ(cudaGraphGetEdges(graph_, nullptr, nullptr, nullptr, &edges), cudaSuccess);
  EXPECT_EQ(nodes, 4u);
  EXPECT_EQ(edges, 4u);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
  ASSERT_EQ(cudaStreamIsCapturing(b_, &status), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusNone);

  ASSERT_EQ(cudaGraphInstantiate(&exec_, graph_, 0), cudaSuccess);
  cudaEvent_t begin = nullptr, end = nullptr;
  ASSERT_EQ(cudaEventCreate(&begin), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&end), cudaSuccess);
  Busy<<<1, 1, 0, a_>>>(50'000'000);
  ASSERT_EQ(cudaEventRecord(begin, a_), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(exec_, a_), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(end, a_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(a_), cudaSuccess);
  float milliseconds = 0;
  ASSERT_EQ(cudaEventElapsedTime(&milliseconds, begin, end), cudaSuccess);
  EXPECT_FLOAT_EQ(milliseconds, 0.2f + 0.4f + 0.1f);  // the two branches overlap
  EXPECT_EQ(First(), 5);
}

TEST_F(Graphs, CopiesSetsAndHostFunctionsAreNodes) {
  int* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 2 * sizeof(int)), cudaSuccess);
  pinned[0] = 41;
  pinned[1] = 0;
  static int seen;
  seen = 0;
  ASSERT_EQ(cudaStreamBeginCapture(a_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(device_, 0xff, kGraphCount * sizeof(int), a_), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(device_, pinned, sizeof(int), cudaMemcpyHostToDevice, a_), cudaSuccess);
  AddOne<<<1, kGraphCount, 0, a_>>>(device_, kGraphCount);
  ASSERT_EQ(cudaMemcpyAsync(pinned + 1, device_, sizeof(int), cudaMemcpyDeviceToHost, a_), cudaSuccess);
  ASSERT_EQ(cudaLaunchHostFunc(
                a_, [](void* data) { seen = *static_cast<int*>(data); }, pinned + 1),
            cudaSuccess);
  AddOne<<<1, kGraphCount, 0, a_>>>(device_, kGraphCount);
  ASSERT_EQ(cudaStreamEndCapture(a_, &graph_), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec_, graph_, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(exec_, a_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(a_), cudaSuccess);
  EXPECT_EQ(seen, 42);
  EXPECT_EQ(First(), 43);
  std::vector<int> host(kGraphCount);
  ASSERT_EQ(cudaMemcpy(host.data(), device_, kGraphCount * sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(host[1], 1);  // -1 twice plus one
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST_F(Graphs, HandMadeNodesWithAChildGraph) {
  cudaGraph_t child = nullptr;
  ASSERT_EQ(cudaGraphCreate(&child, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphCreate(&graph_, 0), cudaSuccess);
  const cudaKernelNodeParams add = AddParams();
  cudaGraphNode_t inner[2], outer[3];
  ASSERT_EQ(cudaGraphAddKernelNode(&inner[0], child, nullptr, 0, &add), cudaSuccess);
  ASSERT_EQ(cudaGraphAddKernelNode(&inner[1], child, &inner[0], 1, &add), cudaSuccess);
  cudaMemsetParams set{};
  set.dst = device_;
  set.elementSize = 4;
  set.width = kGraphCount;
  set.height = 1;
  set.value = 7;
  ASSERT_EQ(cudaGraphAddMemsetNode(&outer[0], graph_, nullptr, 0, &set), cudaSuccess);
  ASSERT_EQ(cudaGraphAddChildGraphNode(&outer[1], graph_, &outer[0], 1, child), cudaSuccess);
  ASSERT_EQ(cudaGraphAddKernelNode(&outer[2], graph_, &outer[1], 1, &add), cudaSuccess);
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  ASSERT_EQ(cudaGraphNodeGetType(outer[1], &type), cudaSuccess);
  EXPECT_EQ(type, cudaGraphNodeTypeGraph);
  ASSERT_EQ(cudaGraphInstantiate(&exec_, graph_, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(exec_, a_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(a_), cudaSuccess);
  EXPECT_EQ(First(), 10);
  EXPECT_EQ(cudaGraphDestroy(child), cudaSuccess);
}

TEST_F(Graphs, UpdateTakesNewParametersOfTheSameShape) {
  CaptureAddThenScale(2);
  ASSERT_EQ(cudaGraphInstantiate(&exec_, graph_, 0), cudaSuccess);
  cudaGraph_t first = graph_;
  CaptureAddThenScale(100);
  cudaGraphExecUpdateResultInfo info{};
  ASSERT_EQ(cudaGraphExecUpdate(exec_, graph_, &info), cudaSuccess);
  EXPECT_EQ(info.result, cudaGraphExecUpdateSuccess);
  ASSERT_EQ(cudaGraphLaunch(exec_, a_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(a_), cudaSuccess);
  EXPECT_EQ(First(), 100);
  EXPECT_EQ(cudaGraphDestroy(first), cudaSuccess);
}

TEST_F(Graphs, UpdateRefusesAnotherShape) {
  CaptureAddThenScale(2);
  ASSERT_EQ(cudaGraphInstantiate(&exec_, graph_, 0), cudaSuccess);
  cudaGraph_t other = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(a_, cudaStreamCaptureModeGlobal), cudaSuccess);
  AddOne<<<1, kGraphCount, 0, a_>>>(device_, kGraphCount);
  ASSERT_EQ(cudaStreamEndCapture(a_, &other), cudaSuccess);
  cudaGraphExecUpdateResultInfo info{};
  EXPECT_EQ(cudaGraphExecUpdate(exec_, other, &info), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(info.result, cudaGraphExecUpdateErrorTopologyChanged);
  cudaGetLastError();
  ASSERT_EQ(cudaGraphLaunch(exec_, a_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(a_), cudaSuccess);
  EXPECT_EQ(First(), 2);
  EXPECT_EQ(cudaGraphDestroy(other), cudaSuccess);
}

TEST_F(Graphs, ExecutableNodeGetsNewParameters) {
  CaptureAddThenScale(2);
  cudaGraphNode_t nodes[2];
  size_t count = 2;
  ASSERT_EQ(cudaGraphGetNodes(graph_, nodes, &count), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec_, graph_, 0), cudaSuccess);
  cudaKernelNodeParams params{};
  ASSERT_EQ(cudaGraphKernelNodeGetParams(nodes[1], &params), cudaSuccess);
  int factor = 9;
  void* arguments[] = {params.kernelParams[0], params.kernelParams[1], &factor};
  params.kernelParams = arguments;
  ASSERT_EQ(cudaGraphExecKernelNodeSetParams(exec_, nodes[1], &params), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(exec_, a_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(a_), cudaSuccess);
  EXPECT_EQ(First(), 9);
}

TEST_F(Graphs, DisabledNodeDoesNothing) {
  CaptureAddThenScale(2);
  cudaGraphNode_t nodes[2];
  size_t count = 2;
  ASSERT_EQ(cudaGraphGetNodes(graph_, nodes, &count), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec_, graph_, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphNodeSetEnabled(exec_, nodes[1], 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(exec_, a_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(a_), cudaSuccess);
  EXPECT_EQ(First(), 1);
}

TEST_F(Graphs, CloneIsIndependent) {
  CaptureAddThenScale(3);
  cudaGraph_t clone = nullptr;
  ASSERT_EQ(cudaGraphClone(&clone, graph_), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroy(graph_), cudaSuccess);
  graph_ = clone;
  ASSERT_EQ(cudaGraphInstantiate(&exec_, graph_, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(exec_, a_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(a_), cudaSuccess);
  EXPECT_EQ(First(), 3);
}

TEST_F(Graphs, EventRecordNodesHaveTimes) {
  ASSERT_EQ(cudaStreamBeginCapture(a_, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cudaEventRecordWithFlags(fork_, a_, cudaEventRecordExternal), cudaSuccess);
  AddOne<<<1, kGraphCount, 0, a_>>>(device_, kGraphCount);
  ASSERT_EQ(cudaEventRecordWithFlags(join_, a_, cudaEventRecordExternal), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(a_, &graph_), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec_, graph_, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(exec_, a_), cudaSuccess);
  ASSERT_EQ(cudaEventSynchronize(join_), cudaSuccess);
  float milliseconds = 0;
  ASSERT_EQ(cudaEventElapsedTime(&milliseconds, fork_, join_), cudaSuccess);
  EXPECT_FLOAT_EQ(milliseconds, static_cast<float>(kernels::kAddOneNs) / 1e6f);
}

TEST_F(Graphs, SynchronizingACapturingStreamInvalidatesTheCapture) {
  ASSERT_EQ(cudaStreamBeginCapture(a_, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(a_), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamEndCapture(a_, &graph_), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(graph_, nullptr);
  cudaGetLastError();
}

TEST_F(Graphs, AllocatingInGlobalModeInvalidatesTheCapture) {
  ASSERT_EQ(cudaStreamBeginCapture(a_, cudaStreamCaptureModeGlobal), cudaSuccess);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 64), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamEndCapture(a_, &graph_), cudaErrorStreamCaptureInvalidated);
  cudaGetLastError();
}

TEST_F(Graphs, AllocatingIsFineInRelaxedMode) {
  ASSERT_EQ(cudaStreamBeginCapture(a_, cudaStreamCaptureModeRelaxed), cudaSuccess);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 64), cudaSuccess);
  EXPECT_EQ(cudaStreamEndCapture(a_, &graph_), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST_F(Graphs, StreamThatNeverJoinsBackIsAnError) {
  ASSERT_EQ(cudaStreamBeginCapture(a_, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(fork_, a_), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(b_, fork_), cudaSuccess);
  AddOne<<<1, kGraphCount, 0, b_>>>(device_, kGraphCount);
  EXPECT_EQ(cudaStreamEndCapture(a_, &graph_), cudaErrorStreamCaptureUnjoined);
  cudaGetLastError();
}

TEST_F(Graphs, LegacyStreamWhileABlockingStreamCapturesIsAnError) {
  cudaStream_t blocking = nullptr;
  ASSERT_EQ(cudaStreamCreate(&blocking), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed), cudaSuccess);
  AddOne<<<1, kGraphCount>>>(device_, kGraphCount);
  EXPECT_EQ(cudaGetLastError(), cudaErrorStreamCaptureImplicit);
  EXPECT_EQ(cudaStreamEndCapture(blocking, &graph_), cudaErrorStreamCaptureInvalidated);
  cudaGetLastError();
  EXPECT_EQ(cudaStreamDestroy(blocking), cudaSuccess);
}

TEST_F(Graphs, CycleIsRefused) {
  ASSERT_EQ(cudaGraphCreate(&graph_, 0), cudaSuccess);
  cudaGraphNode_t nodes[2];
  ASSERT_EQ(cudaGraphAddEmptyNode(&nodes[0], graph_, nullptr, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphAddEmptyNode(&nodes[1], graph_, &nodes[0], 1), cudaSuccess);
  ASSERT_EQ(cudaGraphAddDependencies(graph_, &nodes[1], &nodes[0], nullptr, 1), cudaSuccess);
  EXPECT_EQ(cudaGraphInstantiate(&exec_, graph_, 0), cudaErrorInvalidValue);
  EXPECT_EQ(exec_, nullptr);
  cudaGetLastError();
}

}  // namespace
