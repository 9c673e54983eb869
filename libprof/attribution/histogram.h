// Histogram: counts of durations in fixed log-linear buckets, the form of record::HistogramSnapshot. Owned by Metrics
// (worker or offline tool, single threaded). Add is a few instructions and one cache line; merging is adding counts.
//
// Buckets: a value below 128 has its own; above, each power of two is split into 64 equal ones. A bucket is thus at
// most 1/64 of its values wide, and its middle at most 0.8 % from any of them. Values of 2^46 ns (19 hours) and more
// share the last one. Indexes are part of the trace format: never renumber them.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "base/arena.h"

namespace slowtoken::attribution {

inline constexpr uint32_t kHistogramBuckets = 2624;
inline constexpr uint64_t kHistogramMax = (uint64_t{1} << 46) - 1;

constexpr uint32_t BucketIndex(uint64_t value) {
  if (value > kHistogramMax) value = kHistogramMax;
  if (value < 128) return static_cast<uint32_t>(value);
  const uint32_t shift = static_cast<uint32_t>(std::bit_width(value)) - 7;
  return 64 * shift + static_cast<uint32_t>(value >> shift);
}

// The smallest value of bucket `index`.
constexpr uint64_t BucketLow(uint32_t index) {
  if (index < 128) return index;
  const uint32_t shift = (index / 64 - 1) % 64;  // below 40 for every bucket there is
  return uint64_t{index - 64 * shift} << shift;
}

// What stands for every value of bucket `index`: its middle.
constexpr uint64_t BucketMiddle(uint32_t index) {
  const uint64_t low = BucketLow(index);
  return low + (BucketLow(index + 1) - low) / 2;
}

class Histogram {
 public:
  bool Init(base::Arena& arena) {
    counts_ = arena.AllocateArray<uint64_t>(kHistogramBuckets);
    return !counts_.empty();
  }

  void Add(uint64_t value, uint64_t times = 1) {
    counts_[BucketIndex(value)] += times;
    count_ += times;
    sum_ += value * times;
    if (value > max_) max_ = value;
  }

  uint64_t count() const { return count_; }
  uint64_t sum() const { return sum_; }
  uint64_t max() const { return max_; }
  std::span<const uint64_t> counts() const { return counts_; }

 private:
  std::span<uint64_t> counts_;
  uint64_t count_ = 0;
  uint64_t sum_ = 0;
  uint64_t max_ = 0;
};

}  // namespace slowtoken::attribution
