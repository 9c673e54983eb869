// simgpu-selfcheck: says which libraries a program gets here, runs one kernel and compares with the model. Exit status
// 0: all three are the stand-ins and the kernel took its modelled time. Every test of a product on the simulated GPU
// begins with it.
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <cstdio>

#include "simgpu/core/program_interface.h"

namespace {

constexpr uint64_t kCostNs = 777'000;

// Path of a loaded library, found by a symbol that only the stand-in exports; prints it.
bool Report(const char* library, const char* symbol) {
  void* handle = dlopen(library, RTLD_NOW);
  void* address = handle != nullptr ? dlsym(handle, symbol) : nullptr;
  Dl_info info{};
  const bool stand_in = address != nullptr && dladdr(address, &info) != 0;
  std::printf("%-18s %s\n", library,
              stand_in            ? info.dli_fname
              : handle != nullptr ? "loaded, but NOT the stand-in"
                                  : "NOT FOUND");
  return stand_in;
}

}  // namespace

// Keeps the stream busy while the measured work is queued behind it.
__global__ void Occupy() {}
__global__ void SelfCheck() {}

int main() {
  bool good = Report("libcuda.so.1", "simgpuEngine");
  good &= Report("libcudart.so.13", "simgpuRuntime");
  good &= Report("libcupti.so.13", "simcuptiSetEntryProbe");
  const SimgpuProgramApi* api = Simgpu();
  if (api == nullptr) return 1;
  api->set_cost("*Occupy*", 50'000'000);
  api->set_cost("*SelfCheck*", kCostNs);
  cudaEvent_t begin = nullptr, end = nullptr;
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  Occupy<<<1, 1, 0, stream>>>();
  cudaEventRecord(begin, stream);
  SelfCheck<<<1, 1, 0, stream>>>();
  cudaEventRecord(end, stream);
  const cudaError_t error = cudaStreamSynchronize(stream);
  float milliseconds = 0;
  cudaEventElapsedTime(&milliseconds, begin, end);
  const bool exact = milliseconds == static_cast<float>(kCostNs) / 1e6f;
  std::printf("kernel             %s, %.6f ms, model %.6f ms\n", cudaGetErrorName(error), milliseconds, kCostNs / 1e6);
  good &= error == cudaSuccess && exact;
  std::printf("%s\n", good ? "ok" : "FAILED");
  return good ? 0 : 1;
}
