// The demo's kernels and their launches: a transformer-shaped stack of small but real arithmetic, with the names real
// engines use. Each kernel computes, then keeps the GPU busy until `work_ns` of its launch have passed, so that an
// iteration has the duration the configuration asks for. `work_ns` is the first argument of every kernel, which is how
// the simulated GPU learns a launch's cost. Called by the GPU worker's thread; compiled by nvcc.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace slowtoken::demo {

constexpr int kVocabulary = 1024;
constexpr int kKvWidth = 64;     // floats of one token's key (and value) in the cache
constexpr int kCandidates = 32;  // logits read back for each sampled row
constexpr int kKernelsPerLayer = 10;

struct Candidate {
  float logit;
  int32_t token;
};

// Where an iteration's input lies on the device. Rows are requests; `row_first[r]` is row r's first token.
struct DeviceInput {
  const int32_t* tokens;
  const int32_t* positions;
  const int32_t* slots;        // of each token in the KV cache
  const int32_t* row_last;     // each row's last token
  const int32_t* row_context;  // each row's tokens in the cache, this iteration's included
  const int32_t* row_blocks;   // where each row's block table starts in `blocks`
  const int32_t* blocks;
  const int32_t* sampled_rows;  // rows to sample
};

struct DeviceMemory {
  float *x, *residual, *qkv, *mlp;  // activations, one row a token
  float *weights, *keys, *values, *logits;
  Candidate* candidates;
};

struct ForwardShape {
  int layers, hidden, block_tokens;
  int tokens, rows;  // of this iteration (a graph: of its bucket)
  bool all_reduce, prefill;
  int64_t launch_rounds = 0;  // CPU work before each kernel (Config::launch_rounds)
  bool ranges = false;        // NVTX ranges around embedding, layers, attention, MLP and head
};

// Nanoseconds of each kernel of a forward pass.
struct ForwardWork {
  uint64_t embedding, norm, qkv, rope, cache, attention, output, gate_up, activation, down, all_reduce, head;
};

// What a scenario does to kernels that are already captured: they read it on the device.
struct Pressure {
  uint64_t permille = 1000;  // of its work that each kernel takes
  uint64_t late_ns = 0;      // how long the next all-reduce waits for a rank that comes late
};

// From here on in the stream.
cudaError_t SetPressure(const Pressure& pressure, cudaStream_t stream);

// Fills the weights. Once, at start.
cudaError_t LaunchInit(const DeviceMemory& memory, const ForwardShape& shape, cudaStream_t stream);

// One forward pass; adds the number of kernels launched to `kernels`.
cudaError_t LaunchForward(const DeviceMemory& memory, const DeviceInput& input, const ForwardShape& shape,
                          const ForwardWork& work, cudaStream_t stream, int64_t& kernels);

// One draft token's pass of the small draft model.
cudaError_t LaunchDraft(const DeviceMemory& memory, const ForwardShape& shape, uint64_t work_ns, cudaStream_t stream);

// Finds the best candidates of `sampled` rows.
cudaError_t LaunchSample(const DeviceMemory& memory, const DeviceInput& input, const ForwardShape& shape, int sampled,
                         uint64_t work_ns, cudaStream_t stream);

}  // namespace slowtoken::demo
