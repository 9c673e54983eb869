// Kernels of the test programs, and their host bodies. Names are what tests and cost patterns refer to.
#pragma once

#include <cuda_runtime.h>

#include "simgpu/core/program_interface.h"

namespace kernels {

constexpr uint64_t kAddOneNs = 200'000;
constexpr uint64_t kScaleNs = 100'000;

// Costs and bodies of AddOne, Scale and Busy. Call first.
inline const SimgpuProgramApi* Register();

}  // namespace kernels

struct Big {
  int values[52];
};

// data[i] += 1
__global__ void AddOne(int* data, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) data[i] += 1;
}

// data[i] *= factor
__global__ void Scale(int* data, int count, int factor) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) data[i] *= factor;
}

// Takes time, does nothing; its cost is its argument (a cost function).
__global__ void Busy(long long ns) {
  const long long begin = clock64();
  while (clock64() - begin < ns) {
  }
}

// Arguments of awkward sizes, for the parameter table; static shared memory.
__global__ void Awkward(Big big, short a, char b, long long c, long long* out) {
  __shared__ int staged[64];
  staged[threadIdx.x % 64] = big.values[threadIdx.x % 52];
  __syncthreads();
  *out = staged[0] + a + b + c;
}

template <typename T>
T Argument(const SimgpuLaunch* launch, int index) {
  return *static_cast<const T*>(launch->arguments[index]);
}

inline const SimgpuProgramApi* kernels::Register() {
  static const SimgpuProgramApi* api = [] {
    const SimgpuProgramApi* table = Simgpu();
    if (table == nullptr) return table;
    table->set_cost("*AddOne*", kAddOneNs);
    table->set_cost("*Scale*", kScaleNs);
    table->set_cost_function(
        "*Busy*",
        [](const SimgpuLaunch* launch, void*) { return static_cast<uint64_t>(Argument<long long>(launch, 0)); },
        nullptr);
    static const SimgpuProgramApi* self = table;
    table->set_body(
        "*AddOne*",
        [](const SimgpuLaunch* launch, void*) {
          auto* data = static_cast<int*>(self->host_pointer(Argument<int*>(launch, 0)));
          for (int i = 0; i < Argument<int>(launch, 1); ++i) data[i] += 1;
        },
        nullptr);
    table->set_body(
        "*Scale*",
        [](const SimgpuLaunch* launch, void*) {
          auto* data = static_cast<int*>(self->host_pointer(Argument<int*>(launch, 0)));
          for (int i = 0; i < Argument<int>(launch, 1); ++i) data[i] *= Argument<int>(launch, 2);
        },
        nullptr);
    return table;
  }();
  return api;
}
