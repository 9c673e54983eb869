#include "attribution/device_time.h"

#include <algorithm>

namespace slowtoken::attribution {

using record::IdleReason;

namespace {

// A total order, so that the answer does not depend on the order of arrival.
bool Before(const DeviceTime::Piece& a, const DeviceTime::Piece& b) {
  if (a.start != b.start) return a.start < b.start;
  if (a.end != b.end) return a.end < b.end;
  return a.call_end != b.call_end ? a.call_end < b.call_end : a.device < b.device;
}

uint64_t& Of(std::array<uint64_t, 4>& idle, IdleReason reason) { return idle[static_cast<size_t>(reason)]; }

}  // namespace

bool DeviceTime::Init(base::Arena& arena, uint32_t pieces, const RequestAbsence& absence, const BlindIntervals& blind) {
  absence_ = &absence;
  blind_ = &blind;
  pieces_ = arena.AllocateArray<Piece>(std::max(pieces, 2u));
  return !pieces_.empty();
}

void DeviceTime::Add(const Piece& piece) {
  if (piece.device >= devices_.size()) return;
  if (end_ == pieces_.size()) MakeRoom();
  // Records come nearly in order: a few steps back and it is in place.
  size_t at = end_++;
  for (size_t moves = 0; at > begin_ && Before(piece, pieces_[at - 1]); --at) {
    if (++moves > kMostMoves) {
      unsorted_ = true;
      break;
    }
    pieces_[at] = pieces_[at - 1];
  }
  pieces_[at] = piece;
}

void DeviceTime::MakeRoom() {
  if (begin_ < pieces_.size() / 4) {
    Sort();
    Settle(pieces_[begin_ + (end_ - begin_) / 2].start);
  }
  // All of them run at once: the oldest is counted as far as it is known to go.
  if (begin_ == 0) Count(pieces_[begin_++], kForever);
  std::copy(pieces_.begin() + static_cast<ptrdiff_t>(begin_), pieces_.begin() + static_cast<ptrdiff_t>(end_),
            pieces_.begin());
  end_ -= begin_;
  begin_ = 0;
}

void DeviceTime::Sort() {
  if (!unsorted_) return;
  unsorted_ = false;
  std::sort(pieces_.begin() + static_cast<ptrdiff_t>(begin_), pieces_.begin() + static_cast<ptrdiff_t>(end_), Before);
}

void DeviceTime::Settle(TimeNs until) {
  Sort();
  CountUntil(until);
  for (Device& device : devices_) {
    if (!device.totals.seen) continue;
    // A kernel that came too late may have covered time that was counted as a copy's: the counter stays then.
    uint64_t& copy = Of(device.totals.idle_ns, IdleReason::kCopy);
    copy = std::max(copy, device.any_ns - std::min(device.any_ns, device.totals.busy_ns));
    if (until != kForever && device.end < until) CountAbsent(device, until);
  }
}

// Those that go on beyond `until` stay, as what is left of them, before the first that begins then.
void DeviceTime::CountUntil(TimeNs until) {
  size_t kept = begin_, at = begin_;
  for (; at < end_ && pieces_[at].start < until; ++at) {
    Piece& piece = pieces_[at];
    Count(piece, until);
    if (piece.end <= until) continue;
    piece.start = until;
    pieces_[kept++] = piece;
  }
  if (kept != at) {
    std::copy_backward(pieces_.begin() + static_cast<ptrdiff_t>(begin_), pieces_.begin() + static_cast<ptrdiff_t>(kept),
                       pieces_.begin() + static_cast<ptrdiff_t>(at));
  }
  begin_ = at - (kept - begin_);
}

void DeviceTime::Count(const Piece& piece, TimeNs until) {
  Device& device = devices_[piece.device];
  const TimeNs end = std::min(piece.end, until);
  if (piece.call_end != 0) device.totals.launches_known = true;
  if (!device.totals.seen) {
    device.totals.seen = true;
    device.end = device.compute_end = piece.start;
  } else if (piece.start > device.end) {
    CloseGap(device, piece);
  }
  if (end > device.end) {
    device.any_ns += end - std::max(piece.start, device.end);
    device.end = device.gap_counted = end;
    device.gap_absent = device.gap_told = 0;
  }
  if (piece.compute && end > device.compute_end) {
    device.totals.busy_ns += end - std::max(piece.start, device.compute_end);
    device.compute_end = end;
  }
}

// How much of the open gap had no request, as far as it is known. Told at once where requests are known to come and go:
// a server that waits for hours says so meanwhile.
void DeviceTime::CountAbsent(Device& device, TimeNs until) const {
  if (until <= device.gap_counted) return;
  device.gap_absent += absence_->Between(device.gap_counted, until);
  device.gap_counted = until;
  if (!absence_->known()) return;
  Of(device.totals.idle_ns, IdleReason::kNoWork) += device.gap_absent - device.gap_told;
  device.gap_told = device.gap_absent;
}

void DeviceTime::CloseGap(Device& device, const Piece& piece) const {
  CountAbsent(device, piece.start);
  const uint64_t gap = piece.start - device.end;
  const uint64_t left = gap - std::min(gap, device.gap_told);
  if (piece.call_end == 0 || blind_->Overlap(device.end, piece.start)) return;
  const bool late = piece.call_end > device.end;
  Of(device.totals.idle_ns, late ? IdleReason::kHost : IdleReason::kDependency) += left;
}

}  // namespace slowtoken::attribution
