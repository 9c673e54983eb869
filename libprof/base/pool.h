// Fixed number of equal objects over arena memory, named by 32-bit index; index 0 is never handed out and means none.
// Single threaded. Take and Give are O(1). Take returns 0 when the pool is empty: the caller drops and counts.
#pragma once

#include <cstdint>
#include <span>

#include "base/arena.h"

namespace slowtoken::base {

using PoolIndex = uint32_t;

template <typename T>
class Pool {
 public:
  bool Init(Arena& arena, size_t count) {
    nodes_ = arena.AllocateRoom<Node>(count + 1);
    return !nodes_.empty();
  }

  // A value-initialised object's index, or 0.
  PoolIndex Take() {
    PoolIndex index = free_;
    if (index != 0) {
      free_ = nodes_[index].next_free;
    } else {
      if (fresh_ >= nodes_.size()) return 0;
      index = fresh_++;
    }
    ::new (static_cast<void*>(&nodes_[index].value)) T{};
    ++in_use_;
    return index;
  }

  void Give(PoolIndex index) {
    nodes_[index].next_free = free_;
    free_ = index;
    --in_use_;
  }

  T& operator[](PoolIndex index) { return nodes_[index].value; }
  const T& operator[](PoolIndex index) const { return nodes_[index].value; }

  size_t in_use() const { return in_use_; }
  size_t capacity() const { return nodes_.empty() ? 0 : nodes_.size() - 1; }

 private:
  struct Node {
    T value{};
    PoolIndex next_free = 0;
  };

  std::span<Node> nodes_;
  PoolIndex free_ = 0;   // given back
  PoolIndex fresh_ = 1;  // never taken yet, from here on: memory stays untouched until used
  size_t in_use_ = 0;
};

}  // namespace slowtoken::base
