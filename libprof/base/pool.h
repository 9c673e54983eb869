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
    nodes_ = arena.AllocateArray<Node>(count + 1);
    if (nodes_.empty()) return false;
    for (size_t i = 1; i <= count; ++i) nodes_[i].next_free = i < count ? static_cast<PoolIndex>(i + 1) : 0;
    free_ = count > 0 ? 1 : 0;
    return true;
  }

  // A value-initialised object's index, or 0.
  PoolIndex Take() {
    const PoolIndex index = free_;
    if (index == 0) return 0;
    free_ = nodes_[index].next_free;
    nodes_[index].value = T{};
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
  PoolIndex free_ = 0;
  size_t in_use_ = 0;
};

}  // namespace slowtoken::base
