// The device programs of these tests, compiled by nvcc. Their durations are set in scenario.cc by name.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace simgpu_test {

constexpr uint64_t kShortNs = 20'000;  // as scenario.cc sets it
constexpr int kGrid = 7, kBlock = 64;

void LaunchShort(cudaStream_t stream);
void LaunchLong(cudaStream_t stream);  // 800 ms: unfinished while a test looks

// A graph of `kernels` short kernels in a chain, with a memset at its head if asked.
cudaGraphExec_t MakeGraph(int kernels, bool with_memset);

}  // namespace simgpu_test
