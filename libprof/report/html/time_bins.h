// TimeBins: a span of time cut into equal bins. Plain arithmetic.
#pragma once

#include <algorithm>
#include <cstdint>

#include "record/ids.h"

namespace slowtoken::report::html {

struct TimeBins {
  record::TimeNs start = 0;
  uint64_t bin_ns = 1;
  size_t count = 0;

  // From `first` to `last`, about `samples` / 8 of them, so that a bin is seldom empty; at least 1, at most `most`.
  static TimeBins Of(record::TimeNs first, record::TimeNs last, size_t samples, size_t most) {
    const size_t wanted = std::clamp<size_t>(samples / 8, std::min<size_t>(60, most), most);
    const uint64_t span = last - std::min(first, last);
    const uint64_t bin_ns = span / wanted + 1;
    return {first, bin_ns, static_cast<size_t>(span / bin_ns) + 1};
  }

  size_t BinOf(record::TimeNs time) const {
    return time < start ? 0 : std::min<size_t>((time - start) / bin_ns, count - 1);
  }
};

}  // namespace slowtoken::report::html
