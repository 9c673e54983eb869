// A program that finds the runtime library but no driver.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

__global__ void Nothing() {}

TEST(NoDriver, EveryCallSaysInsufficientDriver) {
  int count = 3;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorInsufficientDriver);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 1), cudaErrorInsufficientDriver);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInsufficientDriver);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  Nothing<<<1, 1>>>();
  EXPECT_EQ(cudaGetLastError(), cudaErrorInsufficientDriver);
  EXPECT_STREQ(cudaGetErrorName(cudaErrorInsufficientDriver), "cudaErrorInsufficientDriver");
  int version = -1;
  EXPECT_EQ(cudaDriverGetVersion(&version), cudaSuccess);
  EXPECT_EQ(version, 0);
}
