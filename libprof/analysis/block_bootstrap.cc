#include "analysis/block_bootstrap.h"

#include <algorithm>
#include <cmath>

namespace slowtoken::analysis {
namespace {

// Enough of them for a steady standard error, each long enough to hold a burst.
size_t BlocksFor(size_t requests) { return std::min(requests, std::clamp<size_t>(requests / 32, 10, 40)); }

}  // namespace

BlockBootstrap::BlockBootstrap(size_t requests, uint64_t seed)
    : requests_(std::max<size_t>(requests, 1)), weights_(std::max<size_t>(BlocksFor(requests), 1), 1), random_(seed) {}

void BlockBootstrap::Draw() {
  weights_.assign(weights_.size(), 0);
  for (size_t i = 0; i < weights_.size(); ++i) ++weights_[random_() % weights_.size()];
}

double PValue(double difference, double error, size_t freedom) {
  if (difference == 0) return 1;
  if (!(error > 0)) return 0;
  const double t = difference / error;
  const auto n = static_cast<double>(std::max<size_t>(freedom, 1));
  const double z = (8 * n + 1) / (8 * n + 3) * std::sqrt(n * std::log1p(t * t / n));
  return std::erfc(z / std::sqrt(2.0));
}

}  // namespace slowtoken::analysis
