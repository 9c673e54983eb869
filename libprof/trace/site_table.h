// SiteTable: the distinct places events of one kind come from within a chunk, numbered from 0 in order of first use,
// each with the duration of its newest event. Belongs to ChunkEncoder (worker thread). When the caller's guess (the
// site after the one before) is right, a look-up is one comparison; else one hash and about one probe.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "base/arena.h"

namespace slowtoken::trace {

template <typename Site>
class SiteTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  bool Init(base::Arena& arena, uint32_t capacity) {
    sites_ = arena.AllocateArray<Entry>(capacity);
    slots_ = arena.AllocateArray<Slot>(std::bit_ceil(capacity * 2));
    return !sites_.empty() && !slots_.empty();
  }

  void Reset() {
    ++epoch_;
    count_ = 0;
  }

  bool full() const { return count_ == sites_.size(); }

  bool Is(uint32_t index, const Site& site) const { return index < count_ && sites_[index].site == site; }

  // The number of `site` or kNone.
  uint32_t Find(const Site& site, uint64_t hash) const {
    for (size_t i = hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i].epoch != epoch_) return kNone;
      if (sites_[slots_[i].index].site == site) return slots_[i].index;
    }
  }

  // Adds a site that Find does not know; the table must not be full.
  uint32_t Add(const Site& site, uint64_t hash) {
    size_t i = hash & (slots_.size() - 1);
    while (slots_[i].epoch == epoch_) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = {epoch_, count_};
    sites_[count_] = {site, 0};
    return count_++;
  }

  uint64_t& last_duration(uint32_t index) { return sites_[index].last_duration; }

 private:
  struct Entry {
    Site site;
    uint64_t last_duration = 0;
  };
  struct Slot {
    uint32_t epoch = 0;
    uint32_t index = 0;
  };
  std::span<Entry> sites_;
  std::span<Slot> slots_;
  uint32_t epoch_ = 1;
  uint32_t count_ = 0;
};

}  // namespace slowtoken::trace
