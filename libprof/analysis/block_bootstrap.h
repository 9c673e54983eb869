// BlockBootstrap: how far a statistic of a run would wander if the run were repeated. Requests close in time hang
// together (a queue, a burst), so whole blocks of consecutive requests are drawn with replacement, not single ones.
// Single threaded, offline; the same seed gives the same draws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace slowtoken::analysis {

class BlockBootstrap {
 public:
  // `requests` in order of arrival, cut into `blocks` of nearly equal size.
  BlockBootstrap(size_t requests, uint64_t seed);

  size_t blocks() const { return weights_.size(); }
  size_t BlockOf(size_t request) const { return request * blocks() / requests_; }

  // Draws anew: afterwards weight(b) says how often block b was drawn.
  void Draw();
  // Every block once: the run as it was.
  void Reset() { weights_.assign(weights_.size(), 1); }
  uint32_t weight(size_t block) const { return weights_[block]; }

 private:
  size_t requests_;
  std::vector<uint32_t> weights_;
  std::mt19937_64 random_;
};

// The two-sided p-value of a difference of `difference` with standard error `error`, by Student's t with `freedom`
// degrees of freedom (Wallace's normal approximation: within 1 % of the exact value where it matters, p > 1e-6).
double PValue(double difference, double error, size_t freedom);

}  // namespace slowtoken::analysis
