// PresentHistogram: a histogram as a running process told it, cumulative since it started. Part of Present; what `top`
// shows is the difference of two. Offline, single threaded.
#pragma once

#include <cstdint>
#include <map>

namespace slowtoken::analysis {

struct PresentHistogram {
  uint64_t count = 0;
  uint64_t sum_ns = 0;
  uint64_t max_ns = 0;
  std::map<uint32_t, uint64_t> buckets;  // by index of attribution/histogram.h

  // What was added since `before`, a snapshot of the same histogram; all of it if that is no earlier one.
  PresentHistogram Since(const PresentHistogram& before) const;
  // The value at rank ceil(q × count): the middle of its bucket; 0 when empty.
  uint64_t Quantile(double q) const;
};

}  // namespace slowtoken::analysis
