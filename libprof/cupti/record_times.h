// RecordTimes: from a record's two CUPTI stamps to CLOCK_MONOTONIC, and what is wrong with them. Worker only.
// The usual case costs three comparisons and one conversion: the end is the converted start plus the duration, so
// durations stay exact to the nanosecond whichever clock snapshot applies (bug log rows 87, 91).
// A record without a believable time keeps its place in the counts: it comes out with times 0 (no time, impossible
// times) or with end 0 (still running), and is counted by cause (bug log rows 82, 83, 85, 86).
#pragma once

#include "base/loss.h"
#include "capture/clock_map.h"

namespace slowtoken::cupti {

struct Times {
  record::TimeNs start = 0;
  record::TimeNs end = 0;
};

class RecordTimes {
 public:
  // Takes the clock's newest snapshot for the plausibility of this round's stamps.
  void BeginRound(const capture::ClockMap& clock) {
    const uint64_t now = clock.latest().cupti;
    low_ = now > kWindow ? now - kWindow : 1;
    span_ = now > kWindow ? 2 * kWindow : INT64_MAX;
  }

  Times Convert(uint64_t start, uint64_t end, const capture::ClockMap& clock, base::LossCounters& losses) const {
    if (start - low_ <= span_ && end - start <= span_) [[likely]] {
      const record::TimeNs converted = clock.FromCupti(start);
      return {converted, converted + (end - start)};
    }
    return ConvertOdd(start, end, clock, losses);
  }

 private:
  // Stamps further than this from now are another clock's (MONOTONIC against REALTIME is decades).
  static constexpr uint64_t kWindow = 48ull * 3600 * 1'000'000'000;

  Times ConvertOdd(uint64_t start, uint64_t end, const capture::ClockMap& clock, base::LossCounters& losses) const {
    if (start == 0) {
      losses.Add(base::Loss::kZeroTimestamp);
      return {};
    }
    if (start - low_ > span_ || end != 0) {
      losses.Add(base::Loss::kBadTimestamp);
      return {};
    }
    losses.Add(base::Loss::kUnfinishedRecord);
    return {clock.FromCupti(start), 0};
  }

  uint64_t low_ = 1;
  uint64_t span_ = INT64_MAX;
};

}  // namespace slowtoken::cupti
