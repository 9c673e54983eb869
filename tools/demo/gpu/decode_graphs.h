// One captured CUDA graph for each decode batch size of the configuration. Captured at start; replayed by the GPU
// worker's thread with one call. Each graph's first node records an event, since an event recorded in front of the
// launch would be earlier than its first kernel by the time the launch takes.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <vector>

#include "absl/status/status.h"
#include "core/config.h"
#include "gpu/gpu_memory.h"

namespace slowtoken::demo {

class DecodeGraphs {
 public:
  // Captures all buckets' graphs on `stream`; `start` becomes each graph's first node.
  absl::Status Capture(const Config& config, const GpuMemory& memory, cudaEvent_t start, cudaStream_t stream);

  // Captures one bucket's graph, anew if there was one.
  absl::Status Capture(int64_t bucket, const Config& config, const GpuMemory& memory, cudaEvent_t start,
                       cudaStream_t stream);

  // Those that are captured.
  std::vector<int64_t> buckets() const;

  // Replays the graph of a bucket that Capture was told of; adds its kernels to `kernels`.
  absl::Status Launch(int64_t bucket, cudaStream_t stream, int64_t& kernels) const;

 private:
  struct Graph {
    cudaGraphExec_t exec = nullptr;
    int64_t kernels = 0;
  };
  std::map<int64_t, Graph> graphs_;
};

}  // namespace slowtoken::demo
