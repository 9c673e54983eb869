// BoundedQueue: a lock-free queue of fixed capacity for plain values, any number of producers and consumers, first in
// first out. Host threads push, the worker pops. A push or pop is one compare-and-swap and two cache lines (about
// 15 ns); no lock, no system call, no memory taken after Init. Push returns false when full, Pop when empty.
// Each cell carries the number of the push or pop that may use it next (Vyukov's bounded queue), so a producer that is
// preempted in the middle delays only the values behind its own, never another producer.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <span>

#include "base/arena.h"

namespace slowtoken::cupti {

template <typename T>
class BoundedQueue {
 public:
  // Room for at least `capacity` values. False when the arena is out of memory.
  bool Init(base::Arena& arena, size_t capacity) {
    cells_ = arena.AllocateArray<Cell>(std::bit_ceil(capacity));
    for (size_t i = 0; i < cells_.size(); ++i) cells_[i].turn.store(i, std::memory_order_relaxed);
    return !cells_.empty();
  }

  bool Push(const T& value) {
    uint64_t position = tail_.load(std::memory_order_relaxed);
    for (;;) {
      Cell& cell = CellAt(position);
      const auto lag = static_cast<int64_t>(cell.turn.load(std::memory_order_acquire) - position);
      if (lag < 0) return false;
      if (lag > 0) {
        position = tail_.load(std::memory_order_relaxed);
      } else if (tail_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) {
        cell.value = value;
        cell.turn.store(position + 1, std::memory_order_release);
        return true;
      }
    }
  }

  bool Pop(T& value) {
    uint64_t position = head_.load(std::memory_order_relaxed);
    for (;;) {
      Cell& cell = CellAt(position);
      const auto lag = static_cast<int64_t>(cell.turn.load(std::memory_order_acquire) - (position + 1));
      if (lag < 0) return false;
      if (lag > 0) {
        position = head_.load(std::memory_order_relaxed);
      } else if (head_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) {
        value = cell.value;
        cell.turn.store(position + cells_.size(), std::memory_order_release);
        return true;
      }
    }
  }

 private:
  struct Cell {
    std::atomic<uint64_t> turn{0};
    T value{};
  };

  Cell& CellAt(uint64_t position) { return cells_[position & (cells_.size() - 1)]; }

  std::span<Cell> cells_;
  alignas(64) std::atomic<uint64_t> head_{0};
  alignas(64) std::atomic<uint64_t> tail_{0};
};

}  // namespace slowtoken::cupti
