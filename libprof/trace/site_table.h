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
  struct Entry {
    Site site{};
    uint64_t last_duration = 0;  // of the newest event here in the chunk
    Entry* follower = nullptr;   // where the next event was last time
    uint32_t chunk = 0;          // in which number and last_duration hold; 0 = none
    uint32_t number = 0;
  };

  // Where the newest event was. A copy can be walked on by itself, which a loop keeps in registers.
  class Walk {
   public:
    // The entry that came after the newest one last time. May be nobody's, which has no number.
    Entry* Guess() const { return newest_->follower; }

    // The next event is at the guessed entry. Its number less the number behind the one before.
    uint64_t Follow(Entry* guess) {
      const uint32_t number = guess->number;
      const uint64_t step = uint64_t{number} - next_number_;
      next_number_ = number + 1;
      newest_ = guess;
      return step;
    }

   private:
    friend SiteTable;
    Entry* newest_ = nullptr;
    uint32_t next_number_ = 0;  // behind the newest event's
  };

  bool Init(base::Arena& arena, uint32_t capacity) {
    entries_ = arena.AllocateArray<Entry>(capacity + 1);
    slots_ = arena.AllocateArray<uint32_t>(std::bit_ceil(capacity * 2));
    if (entries_.empty() || slots_.empty()) return false;
    Clear();
    return true;
  }

  // A new chunk begins: no site has a number in it yet.
  void BeginChunk() {
    ++chunk_;
    count_in_chunk_ = walk_.next_number_ = 0;
  }

  // Forgets all sites; a new chunk must have begun.
  void Clear() {
    memset(slots_.data(), 0, slots_.size_bytes());
    entries_[0] = {};
    entries_[0].follower = &entries_[0];
    walk_.newest_ = &entries_[0];
    count_ = 0;
  }

  bool full() const { return count_ + 1 == entries_.size(); }

  Entry* Guess() const { return walk_.Guess(); }
  const Walk& walk() const { return walk_; }
  // `walk` began here and has gone on.
  void GoOn(const Walk& walk) { walk_ = walk; }

  bool Is(const Entry& entry, const Site& site) const { return &entry != &entries_[0] && entry.site == site; }
  bool HasNumber(const Entry& entry) const { return entry.chunk == chunk_; }

  // The entry of `site`, or nullptr.
  Entry* Find(const Site& site, uint64_t hash) {
    for (size_t i = hash & (slots_.size() - 1); slots_[i] != 0; i = (i + 1) & (slots_.size() - 1)) {
      if (entries_[slots_[i]].site == site) return &entries_[slots_[i]];
    }
    return nullptr;
  }

  // Adds a site that Find does not know; the table must not be full.
  Entry* Add(const Site& site, uint64_t hash) {
    size_t i = hash & (slots_.size() - 1);
    while (slots_[i] != 0) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = ++count_;
    entries_[count_] = Entry{.site = site, .follower = &entries_[0]};
    return &entries_[count_];
  }

  // Numbers `entry` in this chunk.
  void GiveNumber(Entry& entry) {
    entry.chunk = chunk_;
    entry.number = count_in_chunk_++;
    entry.last_duration = 0;
  }

  // An event at `entry`: its number less the number behind the one before.
  uint64_t Step(Entry& entry) {
    walk_.newest_->follower = &entry;
    return walk_.Follow(&entry);
  }

 private:
  std::span<Entry> entries_;   // [0] is nobody's: its follower is what came first
  std::span<uint32_t> slots_;  // indexes of entries, 0 = none
  uint32_t chunk_ = 1;
  uint32_t count_in_chunk_ = 0;
  uint32_t count_ = 0;
  Walk walk_;
};

}  // namespace slowtoken::trace
