#include "gpu/gpu_memory.h"

#include <algorithm>
#include <utility>

#include "core/random.h"
#include "gpu/cuda_status.h"

namespace slowtoken::demo {
namespace {

static_assert(sizeof(Logit) == sizeof(Candidate), "read back as they are");

template <typename T>
cudaError_t AllocateDevice(T*& pointer, int64_t count) {
  return cudaMalloc(reinterpret_cast<void**>(&pointer), static_cast<size_t>(count) * sizeof(T));
}

template <typename T>
cudaError_t AllocatePinned(T*& pointer, int64_t count) {
  return cudaHostAlloc(reinterpret_cast<void**>(&pointer), static_cast<size_t>(count) * sizeof(T),
                       cudaHostAllocDefault);
}

}  // namespace

absl::Status GpuMemory::Allocate() {
  const int64_t rows = config_.max_seqs;
  const int64_t tokens =
      std::max({config_.max_batch_tokens, config_.lifted_batch_tokens, rows * (1 + config_.speculative_tokens)});
  const int64_t hidden = config_.hidden;
  const int64_t kv = static_cast<int64_t>(kv_bytes() / sizeof(float));
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(AllocateDevice(device_.x, tokens * hidden));
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(AllocateDevice(device_.residual, tokens * hidden));
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(AllocateDevice(device_.qkv, tokens * hidden * 3));
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(AllocateDevice(device_.mlp, tokens * hidden * 2));
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(AllocateDevice(device_.weights, hidden * hidden));
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(AllocateDevice(device_.keys, kv));
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(AllocateDevice(device_.values, kv));
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(AllocateDevice(device_.logits, rows * kVocabulary));
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(AllocateDevice(device_.candidates, rows * kCandidates));

  // The sections of the input, one after another.
  const std::pair<int64_t*, int64_t> sections[] = {
      {&tokens_at_, tokens},    {&positions_at_, tokens}, {&slots_at_, tokens}, {&row_last_at_, rows},
      {&row_context_at_, rows}, {&row_blocks_at_, rows},  {&sampled_at_, rows}, {&blocks_at_, config_.kv_blocks + 1}};
  int64_t size = 0;
  for (const auto& [at, count] : sections) {
    *at = size;
    size += count;
  }
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(AllocateDevice(device_input_, size));
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(AllocatePinned(host_input_, size));
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(AllocatePinned(host_candidates_, rows * kCandidates));
  std::fill_n(host_input_, size, 0);
  std::fill_n(host_candidates_, rows * kCandidates, Logit{0, 1});
  input_ = {.tokens = device_input_ + tokens_at_,
            .positions = device_input_ + positions_at_,
            .slots = device_input_ + slots_at_,
            .row_last = device_input_ + row_last_at_,
            .row_context = device_input_ + row_context_at_,
            .row_blocks = device_input_ + row_blocks_at_,
            .blocks = device_input_ + blocks_at_,
            .sampled_rows = device_input_ + sampled_at_};
  return absl::OkStatus();
}

// Writes one row from token `token` on; returns the token after it.
int64_t GpuMemory::PackRow(const PlanRow& row, int64_t index, int64_t token) {
  const uint64_t key = HashText(row.id);
  for (int64_t i = 0; i < row.n_tok; ++i, ++token) {
    const int64_t position = row.context + i;
    const int64_t block = row.blocks[static_cast<size_t>(position / config_.block_tokens)];
    host_input_[tokens_at_ + token] = static_cast<int32_t>(Mix(key + static_cast<uint64_t>(position)) % kVocabulary);
    host_input_[positions_at_ + token] = static_cast<int32_t>(position);
    host_input_[slots_at_ + token] =
        static_cast<int32_t>(block * config_.block_tokens + position % config_.block_tokens);
  }
  host_input_[row_last_at_ + index] = static_cast<int32_t>(token - 1);
  host_input_[row_context_at_ + index] = static_cast<int32_t>(row.context + row.n_tok);
  host_input_[row_blocks_at_ + index] = static_cast<int32_t>(blocks_used_);
  std::copy(row.blocks.begin(), row.blocks.end(), host_input_ + blocks_at_ + blocks_used_);
  blocks_used_ += static_cast<int64_t>(row.blocks.size());
  return token;
}

// A padding row of a decode graph: one token that writes to the block nobody owns and attends to nothing.
void GpuMemory::PackIdle(int64_t row, int64_t token) {
  host_input_[tokens_at_ + token] = 0;
  host_input_[positions_at_ + token] = 0;
  host_input_[slots_at_ + token] = static_cast<int32_t>(config_.kv_blocks * config_.block_tokens);
  host_input_[row_last_at_ + row] = static_cast<int32_t>(token);
  host_input_[row_context_at_ + row] = 0;
  host_input_[row_blocks_at_ + row] = 0;
}

int64_t GpuMemory::Pack(const Plan& plan) {
  const int64_t rows = static_cast<int64_t>(plan.rows.size());
  const int64_t idle_tokens = rows > 0 ? plan.rows.front().n_tok : 1;
  int64_t token = 0, sampled = 0;
  blocks_used_ = 0;
  for (int64_t row = 0; row < rows; ++row) {
    token = PackRow(plan.rows[static_cast<size_t>(row)], row, token);
    if (plan.rows[static_cast<size_t>(row)].yields) host_input_[sampled_at_ + sampled++] = static_cast<int32_t>(row);
  }
  for (int64_t row = rows; row < plan.bucket; ++row)
    for (int64_t i = 0; i < idle_tokens; ++i) PackIdle(row, token++);
  return sampled;
}

size_t GpuMemory::kv_bytes() const {
  // One block more than the scheduler knows: padding rows write there.
  return static_cast<size_t>((config_.kv_blocks + 1) * config_.block_tokens * kKvWidth) * sizeof(float);
}

absl::Status GpuMemory::SendInput(cudaStream_t stream) {
  const size_t size = static_cast<size_t>(blocks_at_ + std::max<int64_t>(1, blocks_used_)) * sizeof(int32_t);
  return CudaStatus(cudaMemcpyAsync(device_input_, host_input_, size, cudaMemcpyHostToDevice, stream),
                    "cudaMemcpyAsync of the input");
}

absl::Status GpuMemory::FetchCandidates(int64_t rows, cudaStream_t stream) {
  const size_t size = static_cast<size_t>(rows * kCandidates) * sizeof(Logit);
  return CudaStatus(cudaMemcpyAsync(host_candidates_, device_.candidates, size, cudaMemcpyDeviceToHost, stream),
                    "cudaMemcpyAsync of the candidates");
}

std::span<const Logit> GpuMemory::CandidatesOf(int64_t i) const {
  return {host_candidates_ + i * kCandidates, kCandidates};
}

}  // namespace slowtoken::demo
