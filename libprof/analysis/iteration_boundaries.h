// IterationBoundaries: where one iteration of an engine that says nothing ends and the next begins, told by what one
// thread launches, in order. The rules, and how far they carry, are in docs/ATTRIBUTION.md §9. One object a thread;
// pure state, single threaded; some ns a call.
#pragma once

#include <array>
#include <cstdint>

#include "analysis/interval.h"

namespace slowtoken::analysis {

// One call of a thread with what came of it on the GPU.
struct LaunchedWork {
  enum Call : uint8_t { kKernels, kGraph, kReadback, kWait };
  Call call = kKernels;
  TimeNs start = 0, end = 0;          // of the call
  TimeNs gpu_start = 0, gpu_end = 0;  // 0 = not known
  uint32_t graph_id = 0;
  uint32_t kernels = 0;
  bool sampling = false;   // kernels that sample
  bool preparing = false;  // kernels that make the next input ready, and nothing else
  bool model = false;      // kernels of a model's layers
  bool prefill_attention = false, decode_attention = false;
};

class IterationBoundaries {
 public:
  // Whether an iteration begins with this call. Waits and readbacks end one, and begin none.
  bool Begins(const LaunchedWork& work);

 private:
  static constexpr TimeNs kSilence = 5'000'000;
  static constexpr uint32_t kManyKernels = 32;
  static constexpr uint32_t kSampledBefore = 2;
  static constexpr size_t kMostGraphs = 64;

  void Restart();
  void Take(const LaunchedWork& work);
  bool Replayed(uint32_t graph_id) const;

  bool open_ = false;
  bool model_ = false;    // work of the model was launched
  bool sampled_ = false;  // and then of sampling
  bool done_ = false;     // and then somebody waited for it, or read back
  uint32_t kernels_ = 0;
  TimeNs last_end_ = 0, gpu_end_ = 0;
  std::array<uint32_t, kMostGraphs> graphs_{};  // replayed in it
  size_t graph_count_ = 0;
  uint32_t with_sampling_ = 0;  // iterations so far that sampled on the GPU
};

}  // namespace slowtoken::analysis
