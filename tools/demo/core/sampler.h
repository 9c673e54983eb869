// Sampling on the CPU, as engines do for options the GPU sampler lacks: draws a token from the candidates' softmax, and
// decides which draft tokens are accepted. The GPU worker's thread; about a microsecond a row. Everything random comes
// from (seed, request, token number), so a run with the same seed gives the same answers whatever the batches were.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/config.h"

namespace slowtoken::demo {

constexpr int32_t kStopToken = 0;

struct Logit {
  float value;
  int32_t token;
};

class Sampler {
 public:
  Sampler(const Config& config, uint64_t seed) : config_(config), seed_(seed) {}

  // The tokens that a row yields: one, and with speculative decoding (`verify`) one more for each accepted draft token.
  // `n_answer`: tokens of the answer so far. A stop token ends the list.
  std::vector<int32_t> Sample(std::string_view request, int64_t n_answer, bool verify,
                              std::span<const Logit> candidates) const;

 private:
  int32_t Draw(uint64_t request, int64_t n, std::span<const Logit> candidates) const;

  const Config& config_;
  uint64_t seed_;
};

}  // namespace slowtoken::demo
