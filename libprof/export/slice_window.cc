#include "export/slice_window.h"

#include <algorithm>

namespace slowtoken::exporting {

using perfetto::TrackEvent;
using record::TimeNs;

void SliceWindow::Add(TrackId track, Shape shape, TimeNs start, TimeNs end, std::string event) {
  waiting_.push_back({track, start, end, shape, std::move(event)});
  if (waiting_.size() == kMostWaiting) Flush();
}

void SliceWindow::Flush() {
  // Parents before children that start with them; otherwise as they came.
  std::stable_sort(waiting_.begin(), waiting_.end(), [](const Slice& a, const Slice& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  });
  for (const Slice& slice : waiting_) Place(slice);
  waiting_.clear();
  for (auto& [track, lanes] : lanes_) {
    for (Lane& lane : lanes) CloseUntil(lane, ~TimeNs{0});
  }
}

void SliceWindow::CloseUntil(Lane& lane, TimeNs time) {
  while (!lane.open_ends.empty() && lane.open_ends.back() <= time) {
    writer_->Event(TrackEvent::TYPE_SLICE_END, lane.track, lane.open_ends.back(), {});
    lane.open_ends.pop_back();
  }
}

SliceWindow::Lane& SliceWindow::LaneFor(const Slice& slice) {
  std::vector<Lane>& lanes = lanes_[slice.track];
  for (Lane& lane : lanes) {
    if (slice.shape == Shape::kApart) {
      if (slice.start >= lane.busy_until) return lane;
      continue;
    }
    CloseUntil(lane, slice.start);
    if (lane.open_ends.empty() || slice.end <= lane.open_ends.back()) return lane;
  }
  Lane& lane = lanes.emplace_back();
  lane.track = lane_of_(slice.track, lanes.size() - 1);
  return lane;
}

void SliceWindow::Place(const Slice& slice) {
  Lane& lane = LaneFor(slice);
  writer_->Event(TrackEvent::TYPE_SLICE_BEGIN, lane.track, slice.start, slice.event);
  if (slice.shape == Shape::kNested) {
    lane.open_ends.push_back(slice.end);
    return;
  }
  writer_->Event(TrackEvent::TYPE_SLICE_END, lane.track, slice.end, {});
  lane.busy_until = slice.end;
}

}  // namespace slowtoken::exporting
