// CapturedSlices: the ranges that graph nodes were captured in, as slices beside the stream that replays them: layers
// and phases around the kernels of each replay. Neighbouring nodes of a replay share the slices of the ranges that they
// share. Fed with nodes about in order of time; single threaded; about 1 µs a node.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>
#include <utility>
#include <vector>

#include "export/perfetto_event.h"
#include "export/perfetto_tracks.h"
#include "export/slice_window.h"
#include "record/gpu_events.h"

namespace slowtoken::exporting {

class CapturedSlices {
 public:
  CapturedSlices(PerfettoWriter& writer, PerfettoTracks& tracks, SliceWindow& window)
      : event_(writer), tracks_(&tracks), window_(&window) {}

  // `path`: ranges joined by `/`.
  void Add(const record::Kernel& kernel, const std::string& path);
  void Finish();

 private:
  struct Slice {
    std::string name;
    record::TimeNs start = 0, end = 0;
  };
  struct Stack {
    record::CorrelationId replay = 0;
    record::TimeNs last_start = 0;
    std::vector<Slice> open;  // the outermost first
  };
  void Close(record::LaneId lane, Stack& stack, size_t keep);

  EventText event_;
  PerfettoTracks* tracks_;
  SliceWindow* window_;
  absl::flat_hash_map<record::LaneId, Stack> stacks_;
};

}  // namespace slowtoken::exporting
