#include <cstdio>

#include "core/random.h"
#include "gpu/kernels.h"
#include "gpu/layer_range.h"

namespace slowtoken::demo {
namespace {

constexpr int kThreads = 128;
constexpr int kMaxBlocks = 64;         // one wave on any GPU of the supported kind, so that a launch lasts `work_ns`
constexpr int kAttentionWindow = 128;  // the arithmetic looks at this many of the latest tokens

__device__ uint64_t GlobalTimer() {
  uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__device__ Pressure pressure = {1000, 0};

// Keeps the block busy until `work_ns` have passed since `start`.
__device__ void BusyUntil(uint64_t start, uint64_t work_ns) {
  work_ns = work_ns * pressure.permille / 1000;
  while (GlobalTimer() - start < work_ns) __nanosleep(100);
}

int Blocks(int items) { return items < 1 ? 1 : items < kMaxBlocks ? items : kMaxBlocks; }

}  // namespace

__global__ void init_weights_kernel(uint64_t work_ns, float* weights, int count) {
  const uint64_t start = GlobalTimer();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    weights[i] = static_cast<float>((i * 2654435761u) >> 16 & 0xff) / 4096.0f - 0.03f;
  BusyUntil(start, work_ns);
}

__global__ void vocab_parallel_embedding_kernel(uint64_t work_ns, const int32_t* tokens, const float* weights, float* x,
                                                float* residual, int n, int hidden) {
  const uint64_t start = GlobalTimer();
  for (int t = blockIdx.x; t < n; t += gridDim.x)
    for (int h = threadIdx.x; h < hidden; h += blockDim.x) {
      const float value = weights[(tokens[t] + h) % (hidden * hidden)];
      x[t * hidden + h] = value;
      residual[t * hidden + h] = value;
    }
  BusyUntil(start, work_ns);
}

__global__ void fused_add_rms_norm_kernel(uint64_t work_ns, float* x, float* residual, int n, int hidden) {
  const uint64_t start = GlobalTimer();
  __shared__ float sum;
  for (int t = blockIdx.x; t < n; t += gridDim.x) {
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    float mine = 0;
    for (int h = threadIdx.x; h < hidden; h += blockDim.x) {
      const float value = residual[t * hidden + h] += x[t * hidden + h];
      mine += value * value;
    }
    atomicAdd(&sum, mine);
    __syncthreads();
    const float scale = rsqrtf(sum / static_cast<float>(hidden) + 1e-5f);
    for (int h = threadIdx.x; h < hidden; h += blockDim.x) x[t * hidden + h] = residual[t * hidden + h] * scale;
    __syncthreads();
  }
  BusyUntil(start, work_ns);
}

// out[t] = weights * in[t], for the four projections of a layer and the head.
__global__ void gemm_f32_kernel(uint64_t work_ns, const float* in, const float* weights, float* out, int n, int inner,
                                int outer) {
  const uint64_t start = GlobalTimer();
  for (int t = blockIdx.x; t < n; t += gridDim.x)
    for (int o = threadIdx.x; o < outer; o += blockDim.x) {
      float sum = 0;
      for (int i = 0; i < inner; ++i) sum += in[t * inner + i] * weights[(o * 31 + i) % (inner * inner)];
      out[t * outer + o] = sum;
    }
  BusyUntil(start, work_ns);
}

__global__ void rotary_embedding_kernel(uint64_t work_ns, const int32_t* positions, float* qkv, int n, int hidden) {
  const uint64_t start = GlobalTimer();
  for (int t = blockIdx.x; t < n; t += gridDim.x)
    for (int h = threadIdx.x; h < hidden; h += blockDim.x) {
      float* const pair = qkv + t * 3 * hidden + 2 * h;
      float sine, cosine;
      sincosf(static_cast<float>(positions[t]) / static_cast<float>(1 + h), &sine, &cosine);
      const float first = pair[0], second = pair[1];
      pair[0] = first * cosine - second * sine;
      pair[1] = first * sine + second * cosine;
    }
  BusyUntil(start, work_ns);
}

__global__ void reshape_and_cache_kernel(uint64_t work_ns, const float* qkv, const int32_t* slots, float* keys,
                                         float* values, int n, int hidden) {
  const uint64_t start = GlobalTimer();
  for (int t = blockIdx.x; t < n; t += gridDim.x)
    for (int h = threadIdx.x; h < kKvWidth; h += blockDim.x) {
      const int64_t to = static_cast<int64_t>(slots[t]) * kKvWidth + h;
      keys[to] = qkv[t * 3 * hidden + hidden + h % hidden];
      values[to] = qkv[t * 3 * hidden + 2 * hidden + h % hidden];
    }
  BusyUntil(start, work_ns);
}

// Attention of each row's last token over the latest tokens of its pages.
__device__ void Attend(const float* qkv, DeviceInput input, const float* keys, const float* values, float* x, int rows,
                       int hidden, int block_tokens) {
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    const int token = input.row_last[r], context = input.row_context[r];
    const int first = context > kAttentionWindow ? context - kAttentionWindow : 0;
    for (int h = threadIdx.x; h < kKvWidth; h += blockDim.x) {
      float sum = 0, weight = 0;
      for (int position = first; position < context; ++position) {
        const int block = input.blocks[input.row_blocks[r] + position / block_tokens];
        const int64_t at = (static_cast<int64_t>(block) * block_tokens + position % block_tokens) * kKvWidth + h;
        const float score = __expf(fminf(qkv[token * 3 * hidden + h % hidden] * keys[at], 20.0f));
        sum += score * values[at];
        weight += score;
      }
      if (h < hidden) x[token * hidden + h] = weight > 0 ? sum / weight : 0;
    }
  }
}

__global__ void paged_attention_kernel(uint64_t work_ns, const float* qkv, DeviceInput input, const float* keys,
                                       const float* values, float* x, int rows, int hidden, int block_tokens) {
  const uint64_t start = GlobalTimer();
  Attend(qkv, input, keys, values, x, rows, hidden, block_tokens);
  BusyUntil(start, work_ns);
}

__global__ void flash_fwd_kernel(uint64_t work_ns, const float* qkv, DeviceInput input, const float* keys,
                                 const float* values, float* x, int rows, int hidden, int block_tokens) {
  const uint64_t start = GlobalTimer();
  Attend(qkv, input, keys, values, x, rows, hidden, block_tokens);
  BusyUntil(start, work_ns);
}

__global__ void silu_and_mul_kernel(uint64_t work_ns, float* mlp, int n, int hidden) {
  const uint64_t start = GlobalTimer();
  for (int t = blockIdx.x; t < n; t += gridDim.x)
    for (int h = threadIdx.x; h < hidden; h += blockDim.x) {
      float* const gate = mlp + t * 2 * hidden + h;
      gate[0] = gate[0] / (1.0f + __expf(-gate[0])) * gate[hidden];
    }
  BusyUntil(start, work_ns);
}

// A tensor-parallel rank's all-reduce, with one rank; a scenario lets the others come late.
__global__ void cross_device_reduce_1stage_kernel(uint64_t work_ns, float* x, int n, int hidden) {
  const uint64_t start = GlobalTimer();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * hidden; i += gridDim.x * blockDim.x) x[i] *= 1.0f;
  uint64_t late_ns = 0;
  if (blockIdx.x == 0 && threadIdx.x == 0)
    late_ns = atomicExch(reinterpret_cast<unsigned long long*>(&pressure.late_ns), 0ull);
  BusyUntil(start, work_ns + late_ns);
}

__global__ void draft_forward_kernel(uint64_t work_ns, const float* weights, float* mlp, int n, int hidden) {
  const uint64_t start = GlobalTimer();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * hidden; i += gridDim.x * blockDim.x)
    mlp[i] = weights[i % (hidden * hidden)] * 0.5f;
  BusyUntil(start, work_ns);
}

// The largest logits of each sampled row: thread c scans every kCandidates-th logit.
__global__ void argmax_f32_kernel(uint64_t work_ns, const float* logits, const int32_t* sampled_rows,
                                  Candidate* candidates, int sampled) {
  const uint64_t start = GlobalTimer();
  for (int s = blockIdx.x; s < sampled; s += gridDim.x) {
    const float* const row = logits + static_cast<int64_t>(sampled_rows[s]) * kVocabulary;
    if (threadIdx.x < kCandidates) {
      Candidate best{-1e30f, 0};
      for (int v = threadIdx.x; v < kVocabulary; v += kCandidates)
        if (row[v] > best.logit) best = {row[v], v};
      candidates[s * kCandidates + threadIdx.x] = best;
    }
  }
  BusyUntil(start, work_ns);
}

cudaError_t SetPressure(const Pressure& wanted, cudaStream_t stream) {
  return cudaMemcpyToSymbolAsync(pressure, &wanted, sizeof wanted, 0, cudaMemcpyHostToDevice, stream);
}

cudaError_t LaunchInit(const DeviceMemory& memory, const ForwardShape& shape, cudaStream_t stream) {
  init_weights_kernel<<<kMaxBlocks, kThreads, 0, stream>>>(10'000, memory.weights, shape.hidden * shape.hidden);
  return cudaGetLastError();
}

namespace {

void LaunchLayer(const DeviceMemory& m, const DeviceInput& input, const ForwardShape& s, const ForwardWork& work,
                 cudaStream_t stream) {
  const int n = s.tokens, hidden = s.hidden, blocks = Blocks(n);
  const auto reduce = [&] {
    if (s.all_reduce)
      cross_device_reduce_1stage_kernel<<<blocks, kThreads, 0, stream>>>(work.all_reduce, m.x, n, hidden);
  };
  {
    const LayerRange range(s.ranges, "attention");
    fused_add_rms_norm_kernel<<<blocks, kThreads, 0, stream>>>(work.norm, m.x, m.residual, n, hidden);
    gemm_f32_kernel<<<blocks, kThreads, 0, stream>>>(work.qkv, m.x, m.weights, m.qkv, n, hidden, 3 * hidden);
    rotary_embedding_kernel<<<blocks, kThreads, 0, stream>>>(work.rope, input.positions, m.qkv, n, hidden);
    reshape_and_cache_kernel<<<blocks, kThreads, 0, stream>>>(work.cache, m.qkv, input.slots, m.keys, m.values, n,
                                                              hidden);
    const auto attention = s.prefill ? flash_fwd_kernel : paged_attention_kernel;
    attention<<<Blocks(s.rows), kThreads, 0, stream>>>(work.attention, m.qkv, input, m.keys, m.values, m.x, s.rows,
                                                       hidden, s.block_tokens);
    gemm_f32_kernel<<<blocks, kThreads, 0, stream>>>(work.output, m.x, m.weights, m.mlp, n, hidden, hidden);
    reduce();
  }
  const LayerRange range(s.ranges, "mlp");
  fused_add_rms_norm_kernel<<<blocks, kThreads, 0, stream>>>(work.norm, m.x, m.residual, n, hidden);
  gemm_f32_kernel<<<blocks, kThreads, 0, stream>>>(work.gate_up, m.x, m.weights, m.mlp, n, hidden, 2 * hidden);
  silu_and_mul_kernel<<<blocks, kThreads, 0, stream>>>(work.activation, m.mlp, n, hidden);
  gemm_f32_kernel<<<blocks, kThreads, 0, stream>>>(work.down, m.mlp, m.weights, m.x, n, hidden, hidden);
  reduce();
}

// What the engine's own code takes on the way to so many launches.
void SpendBeforeLaunches(const ForwardShape& shape, int64_t launches) {
  uint64_t state = 1;
  for (int64_t round = 0; round < shape.launch_rounds * launches; ++round) state = Mix(state);
  const volatile uint64_t result = state;
  static_cast<void>(result);
}

}  // namespace

cudaError_t LaunchForward(const DeviceMemory& m, const DeviceInput& input, const ForwardShape& s,
                          const ForwardWork& work, cudaStream_t stream, int64_t& kernels) {
  const int blocks = Blocks(s.tokens), kernels_per_layer = kKernelsPerLayer + (s.all_reduce ? 2 : 0);
  {
    const LayerRange range(s.ranges, "embedding");
    vocab_parallel_embedding_kernel<<<blocks, kThreads, 0, stream>>>(work.embedding, input.tokens, m.weights, m.x,
                                                                     m.residual, s.tokens, s.hidden);
  }
  for (int layer = 0; layer < s.layers; ++layer) {
    char name[24];
    snprintf(name, sizeof name, "layer %d", layer);
    const LayerRange range(s.ranges, name);
    SpendBeforeLaunches(s, kernels_per_layer);
    LaunchLayer(m, input, s, work, stream);
  }
  const LayerRange range(s.ranges, "head");
  fused_add_rms_norm_kernel<<<blocks, kThreads, 0, stream>>>(work.norm, m.x, m.residual, s.tokens, s.hidden);
  gemm_f32_kernel<<<Blocks(s.rows), kThreads, 0, stream>>>(work.head, m.x, m.weights, m.logits, s.rows, s.hidden,
                                                           kVocabulary);
  kernels += 3 + s.layers * kernels_per_layer;
  return cudaGetLastError();
}

cudaError_t LaunchDraft(const DeviceMemory& m, const ForwardShape& s, uint64_t work_ns, cudaStream_t stream) {
  draft_forward_kernel<<<Blocks(s.rows), kThreads, 0, stream>>>(work_ns, m.weights, m.mlp, s.rows, s.hidden);
  return cudaGetLastError();
}

cudaError_t LaunchSample(const DeviceMemory& m, const DeviceInput& input, const ForwardShape& s, int sampled,
                         uint64_t work_ns, cudaStream_t stream) {
  argmax_f32_kernel<<<Blocks(sampled), kThreads, 0, stream>>>(work_ns, m.logits, input.sampled_rows, m.candidates,
                                                              sampled);
  return cudaGetLastError();
}

}  // namespace slowtoken::demo
