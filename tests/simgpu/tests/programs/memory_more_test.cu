// The rarer memory calls: 3D and batch copies, stream writes, virtual memory management, handles for other processes.
#include <cuda.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#include "kernels.h"

namespace {

TEST(MemoryMore, BoxIsCopiedBySliceAndRow) {
  std::vector<unsigned char> in(4 * 4 * 4), out(4 * 4 * 4, 0xee);
  std::iota(in.begin(), in.end(), 0);
  cudaPitchedPtr box{};
  ASSERT_EQ(cudaMallocPitch(&box.ptr, &box.pitch, 4, 4 * 4), cudaSuccess);
  box.xsize = 4;
  box.ysize = 4;
  cudaMemcpy3DParms up{};
  up.srcPtr = make_cudaPitchedPtr(in.data(), 4, 4, 4);
  up.dstPtr = box;
  up.extent = make_cudaExtent(4, 4, 4);
  up.kind = cudaMemcpyHostToDevice;
  ASSERT_EQ(cudaMemcpy3D(&up), cudaSuccess);
  cudaMemcpy3DParms down{};
  down.srcPtr = box;
  down.srcPos = make_cudaPos(1, 1, 1);
  down.dstPtr = make_cudaPitchedPtr(out.data(), 4, 4, 4);
  down.extent = make_cudaExtent(2, 2, 2);
  down.kind = cudaMemcpyDeviceToHost;
  ASSERT_EQ(cudaMemcpy3D(&down), cudaSuccess);
  EXPECT_EQ(out[0], 21);  // (z 1, y 1, x 1)
  EXPECT_EQ(out[1], 22);
  EXPECT_EQ(out[2], 0xee);
  EXPECT_EQ(out[4], 25);   // next row
  EXPECT_EQ(out[16], 37);  // next slice
  EXPECT_EQ(cudaFree(box.ptr), cudaSuccess);
}

TEST(MemoryMore, BatchCopiesEachRange) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  char* device = nullptr;
  char* pinned = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 64), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(&pinned, 64), cudaSuccess);
  std::memcpy(pinned, "abcdefgh", 8);
  void* to[] = {device, device + 32};
  const void* from[] = {pinned, pinned + 4};
  size_t sizes[] = {4, 4};
  ASSERT_EQ(cudaMemcpyBatchAsync(to, from, sizes, 2, nullptr, nullptr, 0, stream), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(pinned + 16, device + 32, 4, cudaMemcpyDeviceToHost, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(std::string(pinned + 16, 4), "efgh");
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST(MemoryMore, StreamWritesAreSeenInOrder) {
  unsigned long long* pinned = nullptr;
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, sizeof(*pinned)), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_NE(kernels::Register(), nullptr);
  *pinned = 0;
  Busy<<<1, 1, 0, stream>>>(80'000'000);
  ASSERT_EQ(cuStreamWriteValue64(stream, reinterpret_cast<CUdeviceptr>(pinned), 0x1122334455667788ull, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(*pinned, 0u);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(*pinned, 0x1122334455667788ull);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST(MemoryMore, ReservedMappedAndReleased) {
  ASSERT_EQ(cudaFree(nullptr), cudaSuccess);
  CUmemAllocationProp property{};
  size_t granularity = 0;
  ASSERT_EQ(cuMemGetAllocationGranularity(&granularity, &property, CU_MEM_ALLOC_GRANULARITY_MINIMUM), CUDA_SUCCESS);
  CUdeviceptr address = 0;
  CUmemGenericAllocationHandle handle = 0;
  EXPECT_EQ(cuMemAddressReserve(&address, granularity + 1, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuMemAddressReserve(&address, 2 * granularity, 0, 0, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuMemCreate(&handle, granularity, &property, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemMap(address, 2 * granularity, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuMemMap(address, granularity, 0, handle, 0), CUDA_SUCCESS);
  CUmemAccessDesc access{};
  ASSERT_EQ(cuMemSetAccess(address, granularity, &access, 1), CUDA_SUCCESS);
  int value = 3, back = 0;
  ASSERT_EQ(cuMemcpyHtoD(address, &value, sizeof(value)), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyDtoH(&back, address, sizeof(back)), CUDA_SUCCESS);
  EXPECT_EQ(back, 3);
  EXPECT_EQ(cuMemUnmap(address, granularity), CUDA_SUCCESS);
  EXPECT_EQ(cuMemRelease(handle), CUDA_SUCCESS);
  EXPECT_EQ(cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressFree(address, 2 * granularity), CUDA_SUCCESS);
}

// The child is a fresh process (fork before CUDA was touched): run this test alone.
TEST(Ipc, AnotherProcessReadsAndWritesTheMemory) {
  int down[2], up[2];
  ASSERT_EQ(pipe(down), 0);
  ASSERT_EQ(pipe(up), 0);
  const pid_t child = fork();
  if (child == 0) {
    cudaIpcMemHandle_t handle;
    int* memory = nullptr;
    int value = 0;
    bool good = read(down[0], &handle, sizeof(handle)) == static_cast<ssize_t>(sizeof(handle));
    good = good && cudaIpcOpenMemHandle(reinterpret_cast<void**>(&memory), handle, cudaIpcMemLazyEnablePeerAccess) ==
                       cudaSuccess;
    good = good && cudaMemcpy(&value, memory, sizeof(value), cudaMemcpyDeviceToHost) == cudaSuccess && value == 41;
    value = 42;
    good = good && cudaMemcpy(memory, &value, sizeof(value), cudaMemcpyHostToDevice) == cudaSuccess;
    good = good && cudaIpcCloseMemHandle(memory) == cudaSuccess;
    _exit(good ? 0 : 1);
  }
  int* memory = nullptr;
  int value = 41;
  cudaIpcMemHandle_t handle;
  ASSERT_EQ(cudaMalloc(&memory, sizeof(value)), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(memory, &value, sizeof(value), cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaIpcGetMemHandle(&handle, memory), cudaSuccess);
  void* own = nullptr;
  EXPECT_EQ(cudaIpcOpenMemHandle(&own, handle, 0), cudaErrorDeviceUninitialized);  // not in the process that made it
  cudaGetLastError();
  ASSERT_EQ(write(down[1], &handle, sizeof(handle)), static_cast<ssize_t>(sizeof(handle)));
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ASSERT_EQ(cudaMemcpy(&value, memory, sizeof(value), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(value, 42);
}

}  // namespace
