// LocalIds: which process-wide ids this chunk uses, and their position in the chunk's table (1, 2 … in order of first
// use). Belongs to ChunkEncoder (worker thread). One array access a look-up; Reset is O(1): marks carry an epoch.
#pragma once

#include <cstdint>
#include <span>

#include "base/arena.h"

namespace slowtoken::trace {

class LocalIds {
 public:
  // For ids 1 … `max_id`.
  bool Init(base::Arena& arena, uint32_t max_id) {
    marks_ = arena.AllocateArray<Mark>(max_id + 1);
    used_ = arena.AllocateArray<uint32_t>(max_id + 1);
    return !marks_.empty() && !used_.empty();
  }

  void Reset() {
    ++epoch_;
    count_ = 0;
  }

  // The position of `id`, or 0 if this chunk does not have it (yet).
  uint32_t Find(uint32_t id) const {
    return id < marks_.size() && marks_[id].epoch == epoch_ ? marks_[id].position : 0;
  }

  // Adds an id that Find does not know. 0 for ids out of range and for id 0.
  uint32_t Add(uint32_t id) {
    if (id == 0 || id >= marks_.size()) return 0;
    used_[count_++] = id;
    marks_[id] = {epoch_, count_};
    return count_;
  }

  // The process-wide ids in use, by position (the first has position 1).
  std::span<const uint32_t> used() const { return used_.first(count_); }

 private:
  struct Mark {
    uint32_t epoch = 0;
    uint32_t position = 0;
  };
  std::span<Mark> marks_;
  std::span<uint32_t> used_;
  uint32_t epoch_ = 1;
  uint32_t count_ = 0;
};

}  // namespace slowtoken::trace
