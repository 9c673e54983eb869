// Built with -default-stream per-thread: stream 0 is the thread's own, in every _ptsz/_ptds twin.
#include <gtest/gtest.h>

#include <thread>

#include "kernels.h"

namespace {

TEST(PerThread, TwoThreadsDoNotWaitForEachOther) {
  ASSERT_NE(kernels::Register(), nullptr);
  Busy<<<1, 1>>>(200'000'000);
  EXPECT_EQ(cudaStreamQuery(0), cudaErrorNotReady);
  std::thread([] {
    EXPECT_EQ(cudaStreamQuery(0), cudaSuccess);
    Busy<<<1, 1>>>(1000);
    EXPECT_EQ(cudaStreamSynchronize(0), cudaSuccess);
  }).join();
  EXPECT_EQ(cudaStreamQuery(0), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamSynchronize(0), cudaSuccess);
}

TEST(PerThread, LegacyStreamIsStillThereByHandle) {
  Busy<<<1, 1>>>(20'000'000);
  Busy<<<1, 1, 0, cudaStreamLegacy>>>(1000);
  EXPECT_EQ(cudaStreamSynchronize(cudaStreamLegacy), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(0), cudaSuccess);  // the per-thread stream is a blocking one
}

TEST(PerThread, SynchronousCopyUsesTheThreadsStream) {
  int* device = nullptr;
  int value = 0;
  ASSERT_EQ(cudaMalloc(&device, sizeof(int)), cudaSuccess);
  ASSERT_EQ(cudaMemset(device, 0, sizeof(int)), cudaSuccess);
  AddOne<<<1, 1>>>(device, 1);
  ASSERT_EQ(cudaMemcpy(&value, device, sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
}

TEST(PerThread, CaptureOfTheThreadsStreamWorks) {
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(0, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  Busy<<<1, 1>>>(1000);
  ASSERT_EQ(cudaStreamEndCapture(0, &graph), cudaSuccess);
  size_t nodes = 0;
  ASSERT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 1u);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

}  // namespace
