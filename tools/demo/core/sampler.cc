#include "core/sampler.h"

#include <algorithm>
#include <cmath>

#include "core/random.h"

namespace slowtoken::demo {
namespace {

enum Purpose : uint64_t { kDraw = 1, kStop = 2, kAccept = 3 };

uint64_t Random(uint64_t request, int64_t n, Purpose purpose) {
  return Mix(request ^ Mix(static_cast<uint64_t>(n) * 4 + purpose));
}

bool Chance(uint64_t random, int64_t permille) { return static_cast<int64_t>(random % 1000) < permille; }

}  // namespace

int32_t Sampler::Draw(uint64_t request, int64_t n, std::span<const Logit> candidates) const {
  float top = candidates.front().value;
  for (const Logit& candidate : candidates) top = std::max(top, candidate.value);
  float sum = 0;
  for (const Logit& candidate : candidates) sum += std::exp(candidate.value - top);
  float left = static_cast<float>(Uniform(Random(request, n, kDraw))) * sum;
  for (const Logit& candidate : candidates) {
    left -= std::exp(candidate.value - top);
    if (left < 0) return std::max(candidate.token, kStopToken + 1);
  }
  return kStopToken + 1;
}

std::vector<int32_t> Sampler::Sample(std::string_view request, int64_t n_answer, bool verify,
                                     std::span<const Logit> candidates) const {
  const uint64_t key = Mix(seed_ ^ HashText(request));
  const int64_t most = verify ? 1 + config_.speculative_tokens : 1;
  std::vector<int32_t> tokens;
  for (int64_t n = n_answer + 1; n <= n_answer + most; ++n) {
    const bool stop = Chance(Random(key, n, kStop), config_.stop_permille);
    tokens.push_back(stop ? kStopToken : Draw(key, n, candidates));
    if (stop || !Chance(Random(key, n, kAccept), config_.accept_permille)) break;
  }
  return tokens;
}

}  // namespace slowtoken::demo
