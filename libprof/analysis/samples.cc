#include "analysis/samples.h"

#include <algorithm>

#include "analysis/interval.h"

namespace slowtoken::analysis {

void Samples::Add(uint64_t value, uint64_t weight, uint64_t total) {
  if (weight == 0) return;
  samples_.emplace_back(value, weight);
  weight_ = SaturatingAdd(weight_, weight);
  total_ = SaturatingAdd(total_, total);
}

uint64_t Samples::AtRank(uint64_t rank) const {
  uint64_t seen = 0;
  for (const auto& [value, weight] : samples_) {
    seen = SaturatingAdd(seen, weight);
    if (seen >= rank) return value;
  }
  return samples_.back().first;
}

Summary Samples::Summarize() {
  if (samples_.empty()) return {};
  std::sort(samples_.begin(), samples_.end());
  // Rank of the q-th hundredth, ceil(weight * q / 100), without overflow.
  const auto rank = [this](uint64_t q) { return weight_ / 100 * q + (weight_ % 100 * q + 99) / 100; };
  return {.count = weight_,
          .mean_ns = total_ / weight_,
          .p50_ns = AtRank(rank(50)),
          .p90_ns = AtRank(rank(90)),
          .p99_ns = AtRank(rank(99)),
          .max_ns = samples_.back().first};
}

}  // namespace slowtoken::analysis
