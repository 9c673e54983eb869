// Samples: an exact distribution of what comes once per request or token (TTFT, gaps). 16 bytes a sample.
// Quantiles are nearest rank over the weights: the least value at which the weights so far reach q of all. A gap that
// carried n tokens is one sample of gap / n with weight n for the per-token view. Single threaded.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace slowtoken::analysis {

struct Summary {
  uint64_t count = 0;  // sum of weights
  uint64_t mean_ns = 0;
  uint64_t p50_ns = 0;
  uint64_t p90_ns = 0;
  uint64_t p99_ns = 0;
  uint64_t max_ns = 0;
  bool operator==(const Summary&) const = default;
};

class Samples {
 public:
  // `total` is what the mean adds up for this sample: value * weight, or the gap itself where the value was rounded.
  void Add(uint64_t value, uint64_t weight, uint64_t total);
  void Add(uint64_t value) { Add(value, 1, value); }

  // Sorts in place: O(n log n) once.
  Summary Summarize();

  bool empty() const { return samples_.empty(); }

 private:
  uint64_t AtRank(uint64_t rank) const;

  std::vector<std::pair<uint64_t, uint64_t>> samples_;  // value, weight
  uint64_t weight_ = 0;
  uint64_t total_ = 0;
};

}  // namespace slowtoken::analysis
