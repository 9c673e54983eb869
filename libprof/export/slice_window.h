// SliceWindow: slices of many tracks on their way to the file. Viewers take begin and end events apart and pair them by
// order, so that two slices that overlap without nesting on one track destroy each other (bug log row 114). Here slices
// wait in a window of bounded size, are sorted, and those that do not fit get further lanes: tracks of their own beside
// the first. Nothing is left out. Single threaded; about 100 bytes a waiting slice.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <functional>
#include <string>
#include <vector>

#include "export/perfetto_writer.h"

namespace slowtoken::exporting {

class SliceWindow {
 public:
  // How slices on a track may lie. kNested: those of one thread's call stack; a late parent is put around its children
  // by the viewer. kApart: one after the other.
  enum class Shape : uint8_t { kNested, kApart };

  // Declares the track of lane `lane` (0 = the first) of `track` when it is first needed and returns its uuid.
  using LaneOf = std::function<TrackId(TrackId track, size_t lane)>;

  SliceWindow(PerfettoWriter& writer, LaneOf lane_of) : writer_(&writer), lane_of_(std::move(lane_of)) {}

  // start <= end. `event`: serialised TrackEvent without type and track.
  void Add(TrackId track, Shape shape, record::TimeNs start, record::TimeNs end, std::string event);

  // Writes everything that waits.
  void Flush();

 private:
  static constexpr size_t kMostWaiting = 1u << 15;
  struct Slice {
    TrackId track = 0;
    record::TimeNs start = 0;
    record::TimeNs end = 0;
    Shape shape = Shape::kApart;
    std::string event;
  };
  struct Lane {
    TrackId track = 0;
    record::TimeNs busy_until = 0;          // kApart
    std::vector<record::TimeNs> open_ends;  // kNested: ends of the slices around what comes next
  };

  void Place(const Slice& slice);
  Lane& LaneFor(const Slice& slice);
  void CloseUntil(Lane& lane, record::TimeNs time);

  PerfettoWriter* writer_;
  LaneOf lane_of_;
  std::vector<Slice> waiting_;
  absl::flat_hash_map<TrackId, std::vector<Lane>> lanes_;
};

}  // namespace slowtoken::exporting
