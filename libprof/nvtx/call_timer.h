// CallTimer: how long a host thread is inside our handlers, told from some of its calls: those whose stamp falls into
// one of kEvery equal pieces of time. An event has a stamp anyway, so the other calls pay one test of a register. From
// the stamp to the end is timed; the stamp at the end stands for the little that comes before. One a thread slot; the
// owning thread adds, the worker reads. It stays when the slot changes hands.
#pragma once

#include <atomic>
#include <cstdint>

namespace slowtoken::nvtx {

class CallTimer {
 public:
  static constexpr uint64_t kEvery = 128;
  // A call that took longer was not running: the thread had lost its CPU. In raw stamps, 3 to 10 us.
  static constexpr uint64_t kLongest = 10'000;

  // True if the call with this raw stamp is timed: then Add follows. Pieces of 256 stamps: the steps of the clock are
  // smaller.
  static bool IsTurn(uint64_t stamp) { return (stamp & (kEvery - 1) << 8) == 0; }

  // Owner.
  void Add(uint64_t took) {
    const uint64_t sum = timed_.load(std::memory_order_relaxed) + (took < kLongest ? took : kLongest);
    timed_.store(sum, std::memory_order_relaxed);
  }

  // What all calls took together, in raw stamps: estimated from those that were timed. Any thread.
  uint64_t Total() const { return timed_.load(std::memory_order_relaxed) * kEvery; }

 private:
  std::atomic<uint64_t> timed_{0};
};

}  // namespace slowtoken::nvtx
