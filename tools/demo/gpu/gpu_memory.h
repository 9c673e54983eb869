// The worker's memory: activations and KV cache on the device, and the iteration's input, built in pinned host memory
// and sent in one copy. Addresses never change, so that captured graphs stay right. The GPU worker's thread only.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "core/config.h"
#include "core/messages.h"
#include "core/sampler.h"
#include "gpu/kernels.h"

namespace slowtoken::demo {

class GpuMemory {
 public:
  explicit GpuMemory(const Config& config) : config_(config) {}
  absl::Status Allocate();

  // Writes the plan's input to pinned memory, padded with idle rows up to `bucket`, and returns the rows to sample.
  int64_t Pack(const Plan& plan);

  // Starts the copies: input to the device, candidates of `rows` rows back.
  absl::Status SendInput(cudaStream_t stream);
  absl::Status FetchCandidates(int64_t rows, cudaStream_t stream);

  // The candidates of the i-th sampled row; valid once FetchCandidates' copy is done.
  std::span<const Logit> CandidatesOf(int64_t i) const;

  const DeviceMemory& device() const { return device_; }
  const DeviceInput& input() const { return input_; }
  size_t kv_bytes() const;  // of the keys; as many of the values

 private:
  int64_t PackRow(const PlanRow& row, int64_t index, int64_t token);
  void PackIdle(int64_t row, int64_t token);

  const Config& config_;
  DeviceMemory device_{};
  DeviceInput input_{};
  // The same layout on the host (pinned) and on the device, in int32_t from `host_input_`.
  int32_t *host_input_ = nullptr, *device_input_ = nullptr;
  int64_t tokens_at_ = 0, positions_at_ = 0, slots_at_ = 0, row_last_at_ = 0, row_context_at_ = 0, row_blocks_at_ = 0,
          sampled_at_ = 0, blocks_at_ = 0, blocks_used_ = 0, input_size_ = 0;
  Logit* host_candidates_ = nullptr;
};

}  // namespace slowtoken::demo
