#include "analysis/present_histogram.h"

#include <algorithm>
#include <cmath>

#include "attribution/histogram.h"

namespace slowtoken::analysis {

PresentHistogram PresentHistogram::Since(const PresentHistogram& before) const {
  PresentHistogram left = *this;
  if (before.count > count) return left;
  for (const auto& [index, n] : before.buckets) {
    const auto it = left.buckets.find(index);
    if (it == left.buckets.end() || it->second < n) return *this;
    it->second -= n;
    if (it->second == 0) left.buckets.erase(it);
  }
  left.count -= before.count;
  left.sum_ns -= std::min(before.sum_ns, left.sum_ns);
  return left;
}

uint64_t PresentHistogram::Quantile(double q) const {
  const auto rank = static_cast<uint64_t>(std::ceil(q * static_cast<double>(count)));
  uint64_t below = 0;
  for (const auto& [index, n] : buckets) {
    below += n;
    if (below >= rank) return std::min(attribution::BucketMiddle(index), max_ns);
  }
  return 0;
}

}  // namespace slowtoken::analysis
