// Built with -rdc=true: the kernel calls a device function of another translation unit.
#include <gtest/gtest.h>

#include "kernels.h"

extern __device__ int g_shared_counter;
__device__ int Twice(int value);

__global__ void CallsTwice(int* data) { *data = Twice(*data); }

TEST(SeparateCompilation, KernelsAndVariablesAreFound) {
  ASSERT_NE(kernels::Register(), nullptr);
  kernels::Register()->set_body(
      "*CallsTwice*",
      [](const SimgpuLaunch* launch, void* user) {
        auto* api = static_cast<const SimgpuProgramApi*>(user);
        auto* data = static_cast<int*>(api->host_pointer(Argument<int*>(launch, 0)));
        *data = 2 * *data + 5;
      },
      const_cast<SimgpuProgramApi*>(kernels::Register()));
  int* device = nullptr;
  int value = 4;
  ASSERT_EQ(cudaMalloc(&device, sizeof(int)), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(device, &value, sizeof(value), cudaMemcpyHostToDevice), cudaSuccess);
  CallsTwice<<<1, 1>>>(device);
  AddOne<<<1, 1>>>(device, 1);
  ASSERT_EQ(cudaMemcpy(&value, device, sizeof(value), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(value, 14);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
}
