// RecordTimes: from a record's two CUPTI stamps to CLOCK_MONOTONIC, and what is wrong with them. Worker only.
// The usual case costs two comparisons and two additions: one clock snapshot applies to many records in a row, and the
// end is converted by the start's, so durations stay exact to the nanosecond (bug log rows 87, 91).
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
    begin_ = length_ = 0;
  }

  Times Convert(uint64_t start, uint64_t end, const capture::ClockMap& clock, base::LossCounters& losses) {
    if (start - begin_ >= length_ && !FindSpan(start, clock)) return ConvertOdd(start, end, clock, losses);
    if (end - start > span_) [[unlikely]] {
      return ConvertOdd(start, end, clock, losses);
    }
    return {start + offset_, end + offset_};
  }

 private:
  // Goes to the clock's span around a believable stamp.
  [[gnu::noinline]] bool FindSpan(uint64_t start, const capture::ClockMap& clock) {
    if (start - low_ > span_) return false;
    const capture::ClockMap::CuptiSpan span = clock.SpanOf(start);
    begin_ = span.begin > low_ ? span.begin : low_;
    length_ = (span.end - low_ > span_ ? low_ + span_ : span.end) - begin_;
    offset_ = span.offset;
    return true;
  }

  // Stamps further than this from now are another clock's (MONOTONIC against REALTIME is decades).
  static constexpr uint64_t kWindow = 48ull * 3600 * 1'000'000'000;

  [[gnu::noinline]] Times ConvertOdd(uint64_t start, uint64_t end, const capture::ClockMap& clock,
                                     base::LossCounters& losses) const {
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
  // The stamps that offset_ holds for: one snapshot's, and believable.
  uint64_t begin_ = 0;
  uint64_t length_ = 0;
  uint64_t offset_ = 0;
};

}  // namespace slowtoken::cupti
