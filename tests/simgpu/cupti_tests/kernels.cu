#include <cstdlib>

#include "kernels.h"

__global__ void ShortKernel(int* out) {
  if (out != nullptr) *out = 1;
}
__global__ void LongKernel(int* out) {
  if (out != nullptr) *out = 2;
}

namespace simgpu_test {

void LaunchShort(cudaStream_t stream) { ShortKernel<<<kGrid, kBlock, 0, stream>>>(nullptr); }
void LaunchLong(cudaStream_t stream) { LongKernel<<<kGrid, kBlock, 0, stream>>>(nullptr); }

cudaGraphExec_t MakeGraph(int kernels, bool with_memset) {
  static void* memory = nullptr;
  if (memory == nullptr && cudaMalloc(&memory, 4096) != cudaSuccess) std::abort();
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  if (with_memset) cudaMemsetAsync(memory, 0, 4096, stream);
  for (int i = 0; i < kernels; ++i) LaunchShort(stream);
  cudaStreamEndCapture(stream, &graph);
  if (cudaGraphInstantiate(&exec, graph, 0) != cudaSuccess) std::abort();
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  return exec;
}

}  // namespace simgpu_test
