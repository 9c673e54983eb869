// Which times can be true. Used by every analysis before it adds anything up, so that a record without a time, with its
// end before its start, or with a sentinel (bug log rows 83, 85) is counted and never summed. Pure functions.
#pragma once

#include <cstdint>
#include <limits>

#include "base/time.h"

namespace slowtoken::analysis {

using base::TimeNs;

// CLOCK_MONOTONIC counts from boot: 2^62 ns are 146 years.
inline constexpr TimeNs kLastTime = TimeNs{1} << 62;

inline bool IsTime(TimeNs time) { return time != 0 && time < kLastTime; }
inline bool IsInterval(TimeNs start, TimeNs end) { return start != 0 && start <= end && end < kLastTime; }

inline uint64_t SaturatingAdd(uint64_t a, uint64_t b) {
  uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<uint64_t>::max() : sum;
}

}  // namespace slowtoken::analysis
