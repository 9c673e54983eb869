// Allocation, copies, sets, symbols, managed variables, pointer attributes.
#include <gtest/gtest.h>

#include <csetjmp>
#include <csignal>
#include <numeric>
#include <vector>

#include "kernels.h"

__device__ int g_table[16] = {1, 2, 3};
__constant__ float c_factor = 2.5f;
__managed__ int m_counter = 11;

namespace {

constexpr size_t kBytes = 4096;

class Memory : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(kernels::Register(), nullptr);
    ASSERT_EQ(cudaMalloc(&device_, kBytes), cudaSuccess);
    ASSERT_EQ(cudaMallocHost(&pinned_, kBytes), cudaSuccess);
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    EXPECT_EQ(cudaFree(device_), cudaSuccess);
    EXPECT_EQ(cudaFreeHost(pinned_), cudaSuccess);
  }

  unsigned char* device_ = nullptr;
  unsigned char* pinned_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

sigjmp_buf g_fault;
void OnFault(int) { siglongjmp(g_fault, 1); }

TEST_F(Memory, HostDereferenceOfDeviceMemoryFaults) {
  struct sigaction action {};
  struct sigaction old {};
  action.sa_handler = OnFault;
  sigaction(SIGSEGV, &action, &old);
  bool faulted = false;
  if (sigsetjmp(g_fault, 1) == 0) {
    *static_cast<volatile unsigned char*>(device_) = 1;
  } else {
    faulted = true;
  }
  sigaction(SIGSEGV, &old, nullptr);
  EXPECT_TRUE(faulted);
}

TEST_F(Memory, RoundTripThroughTwoDeviceBuffers) {
  std::vector<unsigned char> in(kBytes), out(kBytes);
  std::iota(in.begin(), in.end(), 0);
  unsigned char* other = nullptr;
  ASSERT_EQ(cudaMalloc(&other, kBytes), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(device_, in.data(), kBytes, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(other, device_, kBytes, cudaMemcpyDeviceToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(out.data(), other, kBytes, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(in, out);
  EXPECT_EQ(cudaFree(other), cudaSuccess);
}

TEST_F(Memory, PageableSourceMayChangeAfterAnAsynchronousCopy) {
  std::vector<unsigned char> source(kBytes, 5);
  Busy<<<1, 1, 0, stream_>>>(2'000'000);
  ASSERT_EQ(cudaMemcpyAsync(device_, source.data(), kBytes, cudaMemcpyHostToDevice, stream_), cudaSuccess);
  std::fill(source.begin(), source.end(), 9);
  ASSERT_EQ(cudaMemcpyAsync(pinned_, device_, kBytes, cudaMemcpyDeviceToHost, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(pinned_[kBytes - 1], 5);
}

TEST_F(Memory, PinnedSourceIsReadWhenTheCopyRuns) {
  pinned_[0] = 5;
  Busy<<<1, 1, 0, stream_>>>(60'000'000);
  ASSERT_EQ(cudaMemcpyAsync(device_, pinned_, 1, cudaMemcpyHostToDevice, stream_), cudaSuccess);
  pinned_[0] = 9;
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  unsigned char value = 0;
  ASSERT_EQ(cudaMemcpy(&value, device_, 1, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(value, 9);
}

TEST_F(Memory, PageableDestinationMakesTheCallWait) {
  unsigned char value = 0;
  ASSERT_EQ(cudaMemsetAsync(device_, 0x5a, kBytes, stream_), cudaSuccess);
  Busy<<<1, 1, 0, stream_>>>(2'000'000);
  ASSERT_EQ(cudaMemcpyAsync(&value, device_, 1, cudaMemcpyDeviceToHost, stream_), cudaSuccess);
  EXPECT_EQ(value, 0x5a);
  EXPECT_EQ(cudaStreamQuery(stream_), cudaSuccess);
}

TEST_F(Memory, CopyTimeFollowsTheBandwidth) {
  void* large = nullptr;
  void* host = nullptr;
  const size_t bytes = 5'000'000;
  ASSERT_EQ(cudaMalloc(&large, bytes), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(&host, bytes), cudaSuccess);
  cudaEvent_t begin = nullptr, end = nullptr;
  ASSERT_EQ(cudaEventCreate(&begin), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&end), cudaSuccess);
  Busy<<<1, 1, 0, stream_>>>(50'000'000);
  ASSERT_EQ(cudaEventRecord(begin, stream_), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(large, host, bytes, cudaMemcpyHostToDevice, stream_), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(end, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  float milliseconds = 0;
  ASSERT_EQ(cudaEventElapsedTime(&milliseconds, begin, end), cudaSuccess);
  EXPECT_FLOAT_EQ(milliseconds, 0.1f + 0.0015f);  // 5 MB at 50 GB/s plus 1.5 us
  EXPECT_EQ(cudaFree(large), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(host), cudaSuccess);
}

TEST_F(Memory, RowsAreCopiedByPitch) {
  unsigned char in[4][8], out[4][8] = {};
  for (int i = 0; i < 32; ++i) in[i / 8][i % 8] = static_cast<unsigned char>(i);
  size_t pitch = 0;
  unsigned char* rows = nullptr;
  ASSERT_EQ(cudaMallocPitch(&rows, &pitch, 8, 4), cudaSuccess);
  EXPECT_GE(pitch, 8u);
  ASSERT_EQ(cudaMemcpy2D(rows, pitch, in, 8, 6, 4, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy2D(out, 8, rows, pitch, 6, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(out[3][5], 29);
  EXPECT_EQ(out[3][6], 0);
  EXPECT_EQ(cudaMemcpy2D(out, 4, rows, pitch, 6, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidPitchValue);
  cudaGetLastError();
  EXPECT_EQ(cudaFree(rows), cudaSuccess);
}

TEST_F(Memory, OutOfBoundsCopiesAndSetsAreErrors) {
  EXPECT_EQ(cudaMemcpy(pinned_, device_ + 1, kBytes, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(device_, 0, kBytes + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(pinned_, device_, 1, static_cast<cudaMemcpyKind>(77)), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaFree(device_ + 1), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_F(Memory, StreamOrderedAllocation) {
  unsigned char* memory = nullptr;
  ASSERT_EQ(cudaMallocAsync(&memory, kBytes, stream_), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(memory, 3, kBytes, stream_), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(pinned_, memory, kBytes, cudaMemcpyDeviceToHost, stream_), cudaSuccess);
  ASSERT_EQ(cudaFreeAsync(memory, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(pinned_[kBytes - 1], 3);
  cudaPointerAttributes attributes{};
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, memory), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
}

TEST_F(Memory, FullDeviceIsOutOfMemoryAndRecovers) {
  size_t free = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  void* all = nullptr;
  void* more = nullptr;
  EXPECT_EQ(cudaMalloc(&more, total + 1), cudaErrorMemoryAllocation);
  ASSERT_EQ(cudaMalloc(&all, free - (64 << 10)), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&more, 1 << 20), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaFree(all), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&more, 1 << 20), cudaSuccess);
  EXPECT_EQ(cudaFree(more), cudaSuccess);
  size_t after = 0;
  ASSERT_EQ(cudaMemGetInfo(&after, &total), cudaSuccess);
  EXPECT_EQ(after, free);
  cudaGetLastError();
}

TEST_F(Memory, DeviceVariablesStartAsCompiledAndCanBeWritten) {
  int table[16] = {};
  ASSERT_EQ(cudaMemcpyFromSymbol(table, g_table, sizeof(table)), cudaSuccess);
  EXPECT_EQ(table[0], 1);
  EXPECT_EQ(table[2], 3);
  EXPECT_EQ(table[3], 0);
  const int nine = 9;
  ASSERT_EQ(cudaMemcpyToSymbol(g_table, &nine, sizeof(nine), 5 * sizeof(int)), cudaSuccess);
  ASSERT_EQ(cudaMemcpyFromSymbol(table, g_table, sizeof(table)), cudaSuccess);
  EXPECT_EQ(table[5], 9);
  float factor = 0;
  ASSERT_EQ(cudaMemcpyFromSymbol(&factor, c_factor, sizeof(factor)), cudaSuccess);
  EXPECT_EQ(factor, 2.5f);
  size_t size = 0;
  ASSERT_EQ(cudaGetSymbolSize(&size, g_table), cudaSuccess);
  EXPECT_EQ(size, sizeof(g_table));
  EXPECT_EQ(cudaMemcpyToSymbol(g_table, table, sizeof(table), 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyFromSymbol(table, table, 4), cudaErrorInvalidSymbol);
  cudaGetLastError();
}

TEST_F(Memory, ManagedVariableIsOneForHostAndDevice) {
  EXPECT_EQ(m_counter, 11);
  AddOne<<<1, 1>>>(&m_counter, 1);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(m_counter, 12);
}

TEST_F(Memory, ManagedAllocationIsReadableOnBothSides) {
  int* managed = nullptr;
  ASSERT_EQ(cudaMallocManaged(&managed, 64 * sizeof(int)), cudaSuccess);
  managed[0] = 1;
  AddOne<<<1, 64>>>(managed, 64);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(managed[0], 2);
  cudaPointerAttributes attributes{};
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, managed + 3), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeManaged);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
}

TEST_F(Memory, PointerAttributesTellTheKind) {
  cudaPointerAttributes attributes{};
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, device_ + 100), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_EQ(attributes.device, 0);
  EXPECT_EQ(attributes.devicePointer, device_ + 100);
  EXPECT_EQ(attributes.hostPointer, nullptr);
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, pinned_), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  int local = 0;
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, &local), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
}

TEST_F(Memory, RegisteredHostMemoryIsPinned) {
  std::vector<unsigned char> memory(kBytes);
  cudaPointerAttributes attributes{};
  ASSERT_EQ(cudaHostRegister(memory.data(), kBytes, cudaHostRegisterDefault), cudaSuccess);
  EXPECT_EQ(cudaHostRegister(memory.data(), kBytes, cudaHostRegisterDefault), cudaErrorHostMemoryAlreadyRegistered);
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, memory.data()), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  ASSERT_EQ(cudaHostUnregister(memory.data()), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(memory.data()), cudaErrorHostMemoryNotRegistered);
  cudaGetLastError();
}

TEST_F(Memory, HugeZeroSetTouchesNoPages) {
  void* huge = nullptr;
  ASSERT_EQ(cudaMalloc(&huge, size_t{40} << 30), cudaSuccess);
  ASSERT_EQ(cudaMemset(huge, 0, size_t{40} << 30), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaFree(huge), cudaSuccess);
}

}  // namespace
