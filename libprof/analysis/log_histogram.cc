#include "analysis/log_histogram.h"

#include <algorithm>
#include <cmath>

#include "analysis/interval.h"
#include "attribution/histogram.h"

namespace slowtoken::analysis {
void LogHistogram::Add(uint64_t value) {
  const size_t bucket = attribution::BucketIndex(value);
  if (bucket >= buckets_.size()) buckets_.resize(bucket + 1);
  ++buckets_[bucket];
  ++count_;
  sum_ = SaturatingAdd(sum_, value);
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
}

uint64_t LogHistogram::Quantile(double q) const {
  if (count_ == 0) return 0;
  const uint64_t rank =
      std::clamp<uint64_t>(static_cast<uint64_t>(std::ceil(q * static_cast<double>(count_))), 1, count_);
  if (rank == count_) return max_;
  uint64_t seen = 0;
  for (size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    seen += buckets_[bucket];
    if (seen >= rank) return std::clamp(attribution::BucketMiddle(static_cast<uint32_t>(bucket)), min_, max_);
  }
  return max_;
}

}  // namespace slowtoken::analysis
