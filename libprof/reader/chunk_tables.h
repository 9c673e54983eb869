// ChunkTables: from the positions that the events of one chunk use to ids of the dictionary that holds all processes.
// Filled by ChunkDecoder from each chunk. Positions that the chunk does not have give 0 and are counted. Offline.
#pragma once

#include <cstdint>
#include <vector>

#include "record/dictionary.h"
#include "slowtoken/v1/trace.pb.h"

namespace slowtoken::reader {

class ChunkTables {
 public:
  ChunkTables(record::Dictionary& dictionary, record::ProcessIndex process)
      : dictionary_(dictionary), process_(process) {}

  // Interns the chunk's texts, shapes and lanes. False if the shape or lane columns contradict each other; those
  // tables are then empty.
  bool Load(const v1::Chunk& chunk);

  record::StringId Text(uint64_t position) const { return Find(texts_, position); }
  record::ShapeId Shape(uint64_t position) const { return Find(shapes_, position); }
  record::LaneId Lane(uint64_t position) const { return Find(lanes_, position); }
  record::RequestId Request(uint64_t position) const { return Find(requests_, position); }
  size_t lane_count() const { return lanes_.size() - 1; }
  size_t request_count() const { return requests_.size() - 1; }

  // A time of the recording process on the host's CLOCK_MONOTONIC.
  record::TimeNs HostTime(uint64_t time) const { return time == 0 ? 0 : time - timens_offset_; }

  record::ProcessIndex process() const { return process_; }
  uint64_t bad_positions() const { return bad_positions_; }  // since Load

 private:
  template <typename Id>
  Id Find(const std::vector<Id>& ids, uint64_t position) const {
    if (position < ids.size()) return ids[position];
    ++bad_positions_;
    return 0;
  }

  record::Dictionary& dictionary_;
  record::ProcessIndex process_;
  uint64_t timens_offset_ = 0;
  std::vector<record::StringId> texts_{0};  // [position]; [0] is none
  std::vector<record::ShapeId> shapes_{0};
  std::vector<record::LaneId> lanes_{0};
  std::vector<record::RequestId> requests_{0};
  mutable uint64_t bad_positions_ = 0;
};

}  // namespace slowtoken::reader
