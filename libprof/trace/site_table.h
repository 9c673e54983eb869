// SiteTable: the distinct places events of one kind come from, and for each its number within the present chunk (from 0
// in order of first use), the duration of its newest event there, and the site that came after it last time. Belongs to
// ChunkEncoder (worker thread). Sites outlive the chunk: while events follow each other as before, which they do when a
// graph is replayed, a look-up is one comparison, also for the first event of a site in a chunk; else it is one hash
// and about one probe.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/arena.h"

namespace slowtoken::trace {

template <typename Site>
class SiteTable {
 public:
  static constexpr uint32_t kNone = 0;  // entries count from 1

  bool Init(base::Arena& arena, uint32_t capacity) {
    entries_ = arena.AllocateArray<Entry>(capacity + 1);
    slots_ = arena.AllocateArray<uint32_t>(std::bit_ceil(capacity * 2));
    return !entries_.empty() && !slots_.empty();
  }

  // A new chunk begins: no site has a number in it yet.
  void BeginChunk() {
    ++chunk_;
    count_in_chunk_ = next_number_ = 0;
  }

  // Forgets all sites; a new chunk must have begun.
  void Clear() {
    memset(slots_.data(), 0, slots_.size_bytes());
    entries_[kNone] = {};
    count_ = 0;
    newest_ = kNone;
  }

  bool full() const { return count_ + 1 == entries_.size(); }

  // The entry that came after the newest one last time; may be kNone.
  uint32_t Guess() const { return entries_[newest_].follower; }

  bool Is(uint32_t entry, const Site& site) const { return entry != kNone && entries_[entry].site == site; }
  bool HasNumber(uint32_t entry) const { return entries_[entry].chunk == chunk_; }
  // True if `event` happened there, and it has a number.
  template <typename Event>
  bool IsPlaceOf(uint32_t entry, const Event& event) const {
    return HasNumber(entry) && entries_[entry].site.IsPlaceOf(event);
  }

  // The entry of `site`, or kNone.
  uint32_t Find(const Site& site, uint64_t hash) const {
    for (size_t i = hash & (slots_.size() - 1); slots_[i] != kNone; i = (i + 1) & (slots_.size() - 1)) {
      if (entries_[slots_[i]].site == site) return slots_[i];
    }
    return kNone;
  }

  // Adds a site that Find does not know; the table must not be full.
  uint32_t Add(const Site& site, uint64_t hash) {
    size_t i = hash & (slots_.size() - 1);
    while (slots_[i] != kNone) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = ++count_;
    entries_[count_] = Entry{.site = site};
    return count_;
  }

  // Numbers `entry` in this chunk.
  void GiveNumber(uint32_t entry) {
    entries_[entry].chunk = chunk_;
    entries_[entry].number = count_in_chunk_++;
    entries_[entry].last_duration = 0;
  }

  // An event at `entry`: its number less the number behind the one before.
  uint64_t Step(uint32_t entry) {
    const uint32_t number = entries_[entry].number;
    const uint64_t step = uint64_t{number} - next_number_;
    next_number_ = number + 1;
    entries_[newest_].follower = entry;
    newest_ = entry;
    return step;
  }

  // How much longer it took than the one at the same site before it in this chunk.
  uint64_t DurationChange(uint32_t entry, uint64_t duration) {
    const uint64_t change = duration - entries_[entry].last_duration;
    entries_[entry].last_duration = duration;
    return change;
  }

 private:
  struct Entry {
    Site site{};
    uint64_t last_duration = 0;
    uint32_t chunk = 0;  // in which number and last_duration hold; 0 = none
    uint32_t number = 0;
    uint32_t follower = kNone;
  };
  std::span<Entry> entries_;  // [kNone] is nobody's: its follower is what came first
  std::span<uint32_t> slots_;
  uint32_t chunk_ = 1;
  uint32_t count_in_chunk_ = 0;
  uint32_t next_number_ = 0;  // behind the newest event's
  uint32_t count_ = 0;
  uint32_t newest_ = kNone;
};

}  // namespace slowtoken::trace
