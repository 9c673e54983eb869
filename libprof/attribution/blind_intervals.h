// BlindIntervals: when sources of events should have recorded and did not (record::BlindReason), until they were active
// again. Made from SourceStatus events in any order; read by attribution (which gaps and first tokens overlap one) and
// by analysis (for how long). Single threaded; bounded: the oldest changes give way. A process has a few changes, so
// every question is a walk over all.
#pragma once

#include <array>

#include "attribution/iteration.h"
#include "record/session_events.h"

namespace slowtoken::attribution {

class BlindIntervals {
 public:
  using Lengths = std::array<uint64_t, record::kBlindReasonCount>;

  bool Init(base::Arena& arena, uint32_t changes) {
    changes_ = arena.AllocateArray<Change>(changes);
    return !changes_.empty();
  }

  // Repeated ones change nothing, and neither do those that neither begin nor end an interval.
  void Add(const record::SourceStatus& status);

  // Whether any source of any process was blind at some time in [start, end].
  bool Overlap(TimeNs start, TimeNs end) const { return count_ != 0 && OverlapAny(start, end); }

  // Adds how long the source of a process was blind, by reason, as far as that was before `until`.
  void AddLengths(record::ProcessIndex process, record::Source source, TimeNs until, Lengths* lengths) const;

 private:
  struct Change {
    TimeNs time = 0;
    record::ProcessIndex process = 0;
    record::Source source = record::Source::kCupti;
    record::BlindReason reason = record::BlindReason::kNone;  // kNone: sees again

    bool SameSource(const Change& other) const { return process == other.process && source == other.source; }
  };
  bool OverlapAny(TimeNs start, TimeNs end) const;
  static bool Before(const Change& a, const Change& b);
  void DropOldest();

  // visit(change, end) for each interval; end is kForever where it lasts.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (size_t i = 0; i < count_; ++i) {
      if (changes_[i].reason == record::BlindReason::kNone) continue;
      const bool last = i + 1 == count_ || !changes_[i + 1].SameSource(changes_[i]);
      visit(changes_[i], last ? kForever : changes_[i + 1].time);
    }
  }

  std::span<Change> changes_;  // by source, then by time
  size_t count_ = 0;
};

}  // namespace slowtoken::attribution
