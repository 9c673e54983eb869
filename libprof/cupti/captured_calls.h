// CapturedCalls: which CUDA calls were issued during stream capture. A call that is captured creates its graph node
// inside itself, so its record's [start, end] holds the stamp of a kNodeCreated note of the same thread. Worker only.
// Add is O(1) (notes arrive nearly sorted); Contains is two comparisons when no graph is being built, else a binary
// search. Holds the newest kCapacity notes: a call record that arrives later than that many nodes after its own call is
// taken for an ordinary one. Both stamps are CUPTI's clock, so no conversion can blur the comparison; if the wall clock
// steps during the call the match is lost.
#pragma once

#include <cstdint>
#include <span>

#include "base/arena.h"
#include "record/ids.h"

namespace slowtoken::cupti {

class CapturedCalls {
 public:
  static constexpr size_t kCapacity = 16384;

  bool Init(base::Arena& arena) {
    stamps_ = arena.AllocateArray<Stamp>(kCapacity);
    return !stamps_.empty();
  }

  void Add(uint64_t time, record::ThreadId thread) {
    if (last_ - first_ == kCapacity) ++first_;
    uint64_t at = last_++;
    for (; at > first_ && Get(at - 1).time > time; --at) Get(at) = Get(at - 1);
    Get(at) = {time, thread};
  }

  bool Contains(record::ThreadId thread, uint64_t start, uint64_t end) const {
    if (first_ == last_ || Get(last_ - 1).time < start || Get(first_).time > end) return false;
    for (uint64_t i = FirstFrom(start); i < last_ && Get(i).time <= end; ++i) {
      if (Get(i).thread == thread) return true;
    }
    return false;
  }

 private:
  struct Stamp {
    uint64_t time = 0;
    record::ThreadId thread = 0;
  };

  // The first stamp at or after `time`.
  uint64_t FirstFrom(uint64_t time) const {
    uint64_t low = first_, high = last_;
    while (low < high) {
      const uint64_t middle = low + (high - low) / 2;
      if (Get(middle).time < time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  Stamp& Get(uint64_t position) { return stamps_[position % kCapacity]; }
  const Stamp& Get(uint64_t position) const { return stamps_[position % kCapacity]; }

  std::span<Stamp> stamps_;
  uint64_t first_ = 0;  // positions count up for ever; the ring holds [first_, last_)
  uint64_t last_ = 0;
};

}  // namespace slowtoken::cupti
