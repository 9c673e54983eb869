// ChunkPool: equal pieces of memory that all record queues share, so that a talkative thread may use what silent ones
// do not, but for a reserve: the last eighth is for queues that hold little, so that a storm on one thread does not
// silence the others. A lock-free stack: Take by host threads, Give by the worker (and by host threads that give up);
// one compare-exchange and one addition each. The piece given back last is taken first, while it is warm in the cache.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/arena.h"

namespace slowtoken::nvtx {

class ChunkPool {
 public:
  bool Init(base::Arena& arena, uint32_t chunks, uint32_t chunk_bytes) {
    memory_ = static_cast<std::byte*>(arena.Allocate(size_t{chunks} * chunk_bytes, 64));
    below_ = arena.AllocateArray<std::atomic<uint32_t>>(chunks);
    chunk_bytes_ = chunk_bytes;
    reserve_ = chunks / 8;
    if (memory_ == nullptr || below_.empty()) return false;
    for (uint32_t i = chunks; i > 0; --i) Give(memory_ + size_t{i - 1} * chunk_bytes);
    return true;
  }

  uint32_t chunk_bytes() const { return chunk_bytes_; }

  // chunk_bytes() of memory, or nullptr. Whoever is not `modest` leaves the reserve alone.
  std::byte* Take(bool modest = true) {
    if (!modest && free_.load(std::memory_order_relaxed) <= int64_t{reserve_}) return nullptr;
    uint64_t top = top_.load(std::memory_order_acquire);
    for (;;) {
      const uint32_t index = Index(top);
      if (index == 0) return nullptr;
      const uint32_t below = below_[index - 1].load(std::memory_order_relaxed);
      if (top_.compare_exchange_weak(top, Next(top, below), std::memory_order_acq_rel)) {
        free_.fetch_sub(1, std::memory_order_relaxed);
        return memory_ + size_t{index - 1} * chunk_bytes_;
      }
    }
  }

  void Give(std::byte* chunk) {
    const auto index = static_cast<uint32_t>(static_cast<size_t>(chunk - memory_) / chunk_bytes_) + 1;
    uint64_t top = top_.load(std::memory_order_relaxed);
    do {
      below_[index - 1].store(Index(top), std::memory_order_relaxed);
    } while (!top_.compare_exchange_weak(top, Next(top, index), std::memory_order_acq_rel));
    free_.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  // Low half: the top chunk's number from 1. High half: a count that makes every change of the top unique.
  static uint32_t Index(uint64_t top) { return static_cast<uint32_t>(top); }
  static uint64_t Next(uint64_t top, uint32_t index) { return ((top >> 32) + 1) << 32 | index; }

  std::byte* memory_ = nullptr;
  uint32_t chunk_bytes_ = 0;
  uint32_t reserve_ = 0;
  std::span<std::atomic<uint32_t>> below_;
  std::atomic<uint64_t> top_{0};
  std::atomic<int64_t> free_{0};  // about: a chunk that is just being taken or given may count or not
};

}  // namespace slowtoken::nvtx
