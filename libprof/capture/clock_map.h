// ClockMap: converts raw stamps to CLOCK_MONOTONIC by bracketed snapshots of all clocks.
// TSC: linear between the first and the newest snapshot around the stamp (the TSC is invariant or not used at all).
// While the machine is suspended CLOCK_MONOTONIC stands still and the TSC may go on or start over: CLOCK_BOOTTIME
// tells, and a new line is begun behind the gap. CUPTI: its clock is CLOCK_REALTIME on Linux (cupti_activity.h:8125),
// which may step; each stamp uses the newest snapshot at or before it, in CUPTI's own clock. A stamp that lies across a
// step is off by the step, no longer. AddSnapshot and the conversions belong to the worker thread; a conversion costs a
// few ns.
#pragma once

#include <array>
#include <cstdint>

#include "record/session_events.h"

namespace slowtoken::capture {

class ClockMap {
 public:
  // Reads every clock, MONOTONIC before and after, several tries, keeps the tightest. `cupti_now` is CUPTI's own
  // timestamp function (cuptiGetTimestamp, returns 0 on success) or nullptr. About 1 µs.
  static record::ClockSnapshot Take(uint32_t (*cupti_now)(uint64_t*));

  // True when the TSC ticks at a constant rate in all power states on this machine (CPUID 80000007h EDX bit 8 and the
  // kernel uses it as its clock source). If false, raw stamps are CLOCK_MONOTONIC ns already. Decided once.
  static bool TscUsable();

  void AddSnapshot(const record::ClockSnapshot& snapshot);

  record::TimeNs FromTsc(uint64_t tsc) const;
  // How long so many raw stamps last, in ns.
  uint64_t Length(uint64_t stamps) const;
  record::TimeNs FromCupti(uint64_t cupti_ns) const { return cupti_ns == 0 ? 0 : cupti_ns + SpanOf(cupti_ns).offset; }

  // The stretch of CUPTI's clock around a stamp in which one snapshot applies: `offset` turns each stamp in
  // [begin, end) into CLOCK_MONOTONIC. Holds until the next AddSnapshot. Before the first one everything becomes 0.
  struct CuptiSpan {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t offset = 0;
  };
  CuptiSpan SpanOf(uint64_t cupti_ns) const;

  // The newest snapshot; all zero before the first AddSnapshot.
  const record::ClockSnapshot& latest() const { return snapshots_[count_ == 0 ? 0 : (count_ - 1) % kKept]; }

 private:
  static constexpr uint64_t kKept = 64;

  static uint64_t CuptiClock(const record::ClockSnapshot& s) { return s.cupti != 0 ? s.cupti : s.realtime; }

  // A point and a slope: what a stamp is converted by.
  record::TimeNs FromAnchor(const record::ClockSnapshot& anchor, uint64_t tsc) const;
  long double Rate() const;

  record::ClockSnapshot first_{};       // of the line: since the start, or since the machine was last suspended
  record::ClockSnapshot before_gap_{};  // the last one of the line before; tsc 0 = there is none
  long double rate_before_gap_ = 0;     // ns a tick of that line
  std::array<record::ClockSnapshot, kKept> snapshots_{};
  uint64_t count_ = 0;
};

// The raw stamp host threads take: TSC where usable, else CLOCK_MONOTONIC ns. ClockMap::FromTsc converts either.
uint64_t RawStamp();

}  // namespace slowtoken::capture
