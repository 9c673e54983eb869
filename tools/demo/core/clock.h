// The demo's one clock: CLOCK_MONOTONIC in integer nanoseconds. Any thread; about 40 ns a call.
#pragma once

#include <time.h>

#include <cstdint>

namespace slowtoken::demo {

using TimeNs = int64_t;

inline TimeNs NowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<TimeNs>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// A stretch of time; both ends 0 where it did not happen.
struct Interval {
  TimeNs start = 0;
  TimeNs end = 0;

  template <typename Archive>
  void Visit(Archive& archive) {
    archive(start, end);
  }
};

}  // namespace slowtoken::demo
