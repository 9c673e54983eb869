// All forms of launching a kernel; what a launch does to memory; what a bad one answers.
#include <cuda.h>
#include <gtest/gtest.h>

#include <vector>

#include "kernels.h"

namespace {

constexpr int kLaunchCount = 1000;

class Launch : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(kernels::Register(), nullptr);
    ASSERT_EQ(cudaMalloc(&device_, kLaunchCount * sizeof(int)), cudaSuccess);
    ASSERT_EQ(cudaMemset(device_, 0, kLaunchCount * sizeof(int)), cudaSuccess);
  }
  void TearDown() override { EXPECT_EQ(cudaFree(device_), cudaSuccess); }

  // The value all elements have, or -1.
  int Value() {
    std::vector<int> host(kLaunchCount, -7);
    EXPECT_EQ(cudaMemcpy(host.data(), device_, kLaunchCount * sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
    for (int value : host) {
      if (value != host[0]) return -1;
    }
    return host[0];
  }

  int* device_ = nullptr;
};

TEST_F(Launch, TripleChevron) {
  AddOne<<<4, 256>>>(device_, kLaunchCount);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(Value(), 1);
}

TEST_F(Launch, RuntimeLaunchKernelByStubAddress) {
  int count = kLaunchCount;
  void* arguments[] = {&device_, &count};
  EXPECT_EQ(cudaLaunchKernel(AddOne, dim3(4), dim3(256), arguments, 0, nullptr), cudaSuccess);
  EXPECT_EQ(Value(), 1);
}

TEST_F(Launch, ExtendedWithAttributes) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(4);
  config.blockDim = dim3(256);
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = 2;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  config.attrs = &cluster;
  config.numAttrs = 1;
  EXPECT_EQ(cudaLaunchKernelEx(&config, AddOne, device_, kLaunchCount), cudaSuccess);
  EXPECT_EQ(Value(), 1);
}

TEST_F(Launch, Cooperative) {
  int count = kLaunchCount;
  void* arguments[] = {&device_, &count};
  EXPECT_EQ(cudaLaunchCooperativeKernel(AddOne, dim3(4), dim3(256), arguments, 0, nullptr), cudaSuccess);
  EXPECT_EQ(Value(), 1);
  EXPECT_EQ(cudaLaunchCooperativeKernel(AddOne, dim3(1'000'000), dim3(1024), arguments, 0, nullptr),
            cudaErrorCooperativeLaunchTooLarge);
  cudaGetLastError();
}

TEST_F(Launch, DriverLaunchOfTheRuntimesFunction) {
  cudaFunction_t function = nullptr;
  ASSERT_EQ(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(AddOne)), cudaSuccess);
  int count = kLaunchCount;
  void* arguments[] = {&device_, &count};
  EXPECT_EQ(cuLaunchKernel(function, 4, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr), CUDA_SUCCESS);
  CUlaunchConfig config{4, 1, 1, 256, 1, 1, 0, nullptr, nullptr, 0};
  EXPECT_EQ(cuLaunchKernelEx(&config, function, arguments, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(Value(), 2);
}

TEST_F(Launch, ArgumentsPackedInOneBuffer) {
  cudaFunction_t function = nullptr;
  ASSERT_EQ(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(Scale)), cudaSuccess);
  AddOne<<<4, 256>>>(device_, kLaunchCount);
  struct {
    int* data;
    int count, factor;
  } packed{device_, kLaunchCount, 5};
  size_t size = sizeof(packed);
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  EXPECT_EQ(cuLaunchKernel(function, 4, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra), CUDA_SUCCESS);
  EXPECT_EQ(Value(), 5);
}

TEST_F(Launch, ArgumentsAreCopiedAtLaunch) {
  int count = kLaunchCount;
  void* arguments[] = {&device_, &count};
  EXPECT_EQ(cudaLaunchKernel(AddOne, dim3(4), dim3(256), arguments, 0, nullptr), cudaSuccess);
  count = 0;
  EXPECT_EQ(Value(), 1);
}

TEST_F(Launch, BadConfigurationIsTheLastErrorOnce) {
  AddOne<<<0, 256>>>(device_, kLaunchCount);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  AddOne<<<1, 2048>>>(device_, kLaunchCount);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(Value(), 0);
}

TEST_F(Launch, UnknownFunctionIsRefused) {
  int dummy = 0;
  EXPECT_EQ(cudaLaunchKernel(&dummy, dim3(1), dim3(1), nullptr, 0, nullptr), cudaErrorInvalidDeviceFunction);
  cudaGetLastError();
}

TEST_F(Launch, KernelFactsComeFromTheCubin) {
  cudaFunction_t function = nullptr;
  ASSERT_EQ(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(Awkward)), cudaSuccess);
  const size_t expected[][2] = {{0, sizeof(Big)}, {208, 2}, {210, 1}, {216, 8}, {224, 8}};
  for (size_t i = 0; i < 5; ++i) {
    size_t offset = 0, size = 0;
    ASSERT_EQ(cuFuncGetParamInfo(function, i, &offset, &size), CUDA_SUCCESS);
    EXPECT_EQ(offset, expected[i][0]) << i;
    EXPECT_EQ(size, expected[i][1]) << i;
  }
  size_t offset = 0, size = 0;
  EXPECT_EQ(cuFuncGetParamInfo(function, 5, &offset, &size), CUDA_ERROR_INVALID_VALUE);
  cudaFuncAttributes attributes{};
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(Awkward)), cudaSuccess);
  EXPECT_EQ(attributes.sharedSizeBytes, 64 * sizeof(int));
  EXPECT_GT(attributes.numRegs, 0);
  EXPECT_LT(attributes.numRegs, 256);
}

TEST_F(Launch, OccupancyFollowsTheBlockSize) {
  int small = 0, large = 0;
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&small, AddOne, 128, 0), cudaSuccess);
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&large, AddOne, 1024, 0), cudaSuccess);
  EXPECT_EQ(small, 16);
  EXPECT_EQ(large, 2);
}

TEST_F(Launch, NamesAreMangled) {
  const char* name = nullptr;
  ASSERT_EQ(cudaFuncGetName(&name, reinterpret_cast<const void*>(AddOne)), cudaSuccess);
  EXPECT_STREQ(name, "_Z6AddOnePii");
}

}  // namespace
