// A hash map of fixed capacity over arena memory: open addressing, linear probing, deletion by backward shift.
// Single threaded (the worker, or an offline tool). Find, Insert and Erase are O(1) on average; nothing ever allocates
// after Init. Insert returns nullptr when the map holds `capacity` entries: the caller evicts or drops, and counts.
// K and V are trivially copyable. K needs operator== and HashKey(k) -> uint64_t (found by ADL, or the overloads here).
// Pointers to values stay valid only until the next Insert or Erase.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "base/arena.h"
#include "base/hash.h"

namespace slowtoken::base {

inline uint64_t HashKey(uint64_t key) { return MixHash(key); }
inline uint64_t HashKey(uint32_t key) { return MixHash(key); }

template <typename K, typename V>
class FlatMap {
 public:
  // Takes memory for `capacity` entries at a load of at most one half. False when the arena is out of memory.
  bool Init(Arena& arena, size_t capacity) {
    slots_ = arena.AllocateRoom<Slot>(std::bit_ceil(capacity * 2));  // zeroed: no slot is used
    capacity_ = slots_.empty() ? 0 : capacity;
    mask_ = slots_.empty() ? 0 : slots_.size() - 1;
    return !slots_.empty();
  }

  V* Find(const K& key) {
    if (capacity_ == 0) return nullptr;
    for (size_t i = Home(key);; i = (i + 1) & mask_) {
      if (!slots_[i].used) return nullptr;
      if (slots_[i].key == key) return &slots_[i].value;
    }
  }
  const V* Find(const K& key) const { return const_cast<FlatMap*>(this)->Find(key); }

  // The value of `key`, value-initialised if it was absent; nullptr when it is absent and the map is full.
  V* FindOrInsert(const K& key) {
    if (capacity_ == 0) return nullptr;
    size_t i = Home(key);
    for (; slots_[i].used; i = (i + 1) & mask_) {
      if (slots_[i].key == key) return &slots_[i].value;
    }
    if (size_ == capacity_) return nullptr;
    slots_[i] = Slot{key, V{}, true};
    ++size_;
    return &slots_[i].value;
  }

  bool Erase(const K& key) {
    if (capacity_ == 0) return false;
    for (size_t i = Home(key); slots_[i].used; i = (i + 1) & mask_) {
      if (slots_[i].key == key) {
        EraseSlot(i);
        return true;
      }
    }
    return false;
  }

  // Calls visit(key, value) for every entry, in table order (deterministic for the same history). No changes meanwhile.
  template <typename Visit>
  void ForEach(Visit visit) {
    for (Slot& slot : slots_) {
      if (slot.used) visit(static_cast<const K&>(slot.key), slot.value);
    }
  }

  // Erases every entry for which drop(key, value) is true.
  template <typename Drop>
  void EraseIf(Drop drop) {
    for (size_t i = 0; i < slots_.size();) {
      if (slots_[i].used && drop(static_cast<const K&>(slots_[i].key), slots_[i].value)) {
        EraseSlot(i);  // the shift may have moved another entry here: look at this slot again
      } else {
        ++i;
      }
    }
  }

  void Clear() {
    for (Slot& slot : slots_) slot.used = false;
    size_ = 0;
  }

  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  bool full() const { return size_ == capacity_; }

 private:
  struct Slot {
    K key{};
    V value{};
    bool used = false;
  };

  size_t Home(const K& key) const { return static_cast<size_t>(HashKey(key)) & mask_; }

  void EraseSlot(size_t hole) {
    slots_[hole].used = false;
    --size_;
    for (size_t i = (hole + 1) & mask_; slots_[i].used; i = (i + 1) & mask_) {
      const size_t home = Home(slots_[i].key);
      if (((i - home) & mask_) >= ((i - hole) & mask_)) {
        slots_[hole] = slots_[i];
        slots_[i].used = false;
        hole = i;
      }
    }
  }

  std::span<Slot> slots_;
  size_t capacity_ = 0;
  size_t mask_ = 0;
  size_t size_ = 0;
};

}  // namespace slowtoken::base
