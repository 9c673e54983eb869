// IndexStack: a lock-free stack of the numbers below a count, last in first out, any number of threads. The buffer
// pool's free list: the buffer used last is handed out first, so that few buffers are ever touched. Push and Pop are
// one compare-and-swap each; the head carries a counter, so a number that left and came back meanwhile is noticed
// (ABA).
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "base/arena.h"

namespace slowtoken::cupti {

class IndexStack {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // An empty stack for numbers below `count`. False when the arena is out of memory.
  bool Init(base::Arena& arena, uint32_t count) {
    below_ = arena.AllocateArray<std::atomic<uint32_t>>(count);
    return !below_.empty();
  }

  // `index` must not be in the stack.
  void Push(uint32_t index) {
    uint64_t head = head_.load(std::memory_order_relaxed);
    do {
      below_[index].store(IndexOf(head), std::memory_order_relaxed);
    } while (
        !head_.compare_exchange_weak(head, Next(head, index), std::memory_order_release, std::memory_order_relaxed));
  }

  // kNone when empty.
  uint32_t Pop() {
    uint64_t head = head_.load(std::memory_order_acquire);
    for (;;) {
      const uint32_t index = IndexOf(head);
      if (index == kNone) return kNone;
      const uint32_t below = below_[index].load(std::memory_order_relaxed);
      if (head_.compare_exchange_weak(head, Next(head, below), std::memory_order_acquire, std::memory_order_acquire)) {
        return index;
      }
    }
  }

 private:
  static uint32_t IndexOf(uint64_t head) { return static_cast<uint32_t>(head); }
  static uint64_t Next(uint64_t head, uint32_t index) { return ((head >> 32) + 1) << 32 | index; }

  std::span<std::atomic<uint32_t>> below_;
  alignas(64) std::atomic<uint64_t> head_{kNone};
};

}  // namespace slowtoken::cupti
