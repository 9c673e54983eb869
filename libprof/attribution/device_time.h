// DeviceTime: how long each GPU was busy, and why it was idle (docs/ATTRIBUTION.md §6), as counters that only grow.
// Fed by GpuJoin with every GPU record it is told of, in any order; counted by Engine as time settles. Busy: at least
// one kernel or graph replay ran. Idle, from the first GPU work on: only copies ran; no request was in the system; else
// by the work that ended the interval: launched after it had opened (host), or before (dependency). What cannot be told
// is counted nowhere, and neither is an interval in which a source was blind: work may have run in it. A record that
// comes after its time was counted adds what it can to the busy time.
//
// Single threaded; bounded: when the table is full its older half is counted early. About 15 ns a record.
#pragma once

#include <array>
#include <span>

#include "attribution/blind_intervals.h"
#include "attribution/devices.h"
#include "attribution/request_absence.h"
#include "record/summaries.h"

namespace slowtoken::attribution {

class DeviceTime {
 public:
  // One GPU record.
  struct Piece {
    TimeNs start = 0, end = 0;
    TimeNs call_end = 0;  // when the call that launched it returned; 0 = not known
    uint8_t device = 0;   // Devices' number
    bool compute = false;
  };

  struct Totals {
    bool seen = false;
    bool launches_known = false;  // host and dependency can be told apart
    uint64_t busy_ns = 0;
    std::array<uint64_t, 4> idle_ns{};  // by record::IdleReason
  };

  bool Init(base::Arena& arena, uint32_t pieces, const RequestAbsence& absence, const BlindIntervals& blind);

  void Add(const Piece& piece);

  // Counts everything before `until`, all of which has been added; kForever: all there is.
  void Settle(TimeNs until);

  const Totals& totals(uint32_t device) const { return devices_[device].totals; }

 private:
  struct Device {
    Totals totals;
    TimeNs end = 0;                         // of the latest work of any kind
    TimeNs compute_end = 0;                 // of the latest kernel or graph replay
    uint64_t any_ns = 0;                    // time with work of any kind
    TimeNs gap_counted = 0;                 // up to where the open gap was searched for absent requests
    uint64_t gap_absent = 0, gap_told = 0;  // of it without a request; and of that, already in the totals
  };
  static constexpr size_t kMostMoves = 32;

  void Count(const Piece& piece, TimeNs until);
  void CountAbsent(Device& device, TimeNs until) const;
  void CloseGap(Device& device, const Piece& piece) const;
  void CountUntil(TimeNs until);
  void Sort();
  void MakeRoom();

  std::span<Piece> pieces_;     // by start, unless `unsorted_`
  size_t begin_ = 0, end_ = 0;  // of those not counted yet
  bool unsorted_ = false;
  const RequestAbsence* absence_ = nullptr;
  const BlindIntervals* blind_ = nullptr;
  std::array<Device, Devices::kMost> devices_{};
};

}  // namespace slowtoken::attribution
