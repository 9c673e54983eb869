// BufferPool: the activity buffers we lend to CUPTI. Fixed number and size, taken from the session's arena once, never
// freed (bug log row 44: CUPTI may write into a buffer it holds at any time, also after the end).
// Request and Complete are CUPTI's two call-backs, on host threads or CUPTI's own: no lock, no system call, no memory,
// errno untouched, about 60 ns each (most of it one clock read). TakeFilled and Recycle belong to the worker.
//
// Zeroing: attribute ZEROED_OUT_ACTIVITY_BUFFER (cupti_activity.h:7122) says who clears a buffer. 0, the default, makes
// CUPTI clear all of it on the application's thread; with 1 we promise zeroed memory. We promise, and the worker clears
// the bytes CUPTI filled before a buffer is lent again; what CUPTI never filled is still zero from mmap.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/loss.h"
#include "base/time.h"
#include "cupti/bounded_queue.h"
#include "cupti/index_stack.h"

namespace slowtoken::cupti {

class BufferPool {
 public:
  struct Buffer {
    uint8_t* data = nullptr;
    size_t bytes = 0;
  };

  // `count` buffers of `bytes` (a multiple of 8) and one scratch buffer. False when the arena is out of memory.
  bool Init(base::Arena& arena, uint32_t count, size_t bytes, base::LossCounters& losses);

  // A zeroed buffer. When all are out: none if `null_allowed`, else the scratch buffer, whose content is thrown away;
  // both are counted. Any thread.
  Buffer Request(bool null_allowed);

  // Takes a buffer back; the worker gets them in the order of these calls. Foreign pointers are ignored. Any thread.
  void Complete(uint8_t* data, size_t valid_bytes);

  // The next returned buffer (its valid part), or an empty one. Worker.
  Buffer TakeFilled();

  // Clears what TakeFilled gave (if `zero`) and lends it again. Worker.
  void Recycle(const Buffer& filled, bool zero);

  // Fits the size lent to the traffic, once a round. CUPTI returns a buffer only when every record in it is complete
  // (cupti_activity.h:7724), so on a GPU that is never idle a buffer comes back only when it is full, which with little
  // traffic takes a large one many seconds. So buffers are small at first; many in one round make the next ones larger,
  // one out for too long makes them smaller. Within a round a burst gets larger ones at once: the pool must not run dry
  // on small ones. Worker.
  void Adapt(base::TimeNs now);

  // What a calm request gets now.
  size_t lent_bytes() const { return lent_bytes_.load(std::memory_order_relaxed); }

  static constexpr size_t kSmallest = 8192;  // 37 kernel records
  static constexpr base::TimeNs kTooLong = 250'000'000;

  // When the oldest buffer was requested that the worker has not had back, 0 if it has had all. Records of before
  // this instant have been delivered. Worker.
  base::TimeNs OldestOutstanding() const;

  // How often CUPTI has asked for a buffer, wraps. 0: never, so there is nothing to flush.
  uint32_t requests() const { return requests_.load(std::memory_order_relaxed); }

  // Whether `data` is lent: CUPTI has not given it back. Null is not.
  bool IsLent(const uint8_t* data) const;

  // The buffers requested before `instant` that are still out will not come back: CUPTI gave them to another tool, or
  // was torn down. They bound nothing any more; Reclaim lends them again. Worker.
  void GiveUpLent(base::TimeNs instant);

  // Takes back what GiveUpLent gave up. Only when whoever got the buffers has long gone: a late writer would spoil
  // records (bug log row 44). Returns how many. Worker.
  uint32_t Reclaim();

  // From when to when records were lost for want of a buffer since the last call; start 0: none were. Worker.
  struct Dry {
    base::TimeNs start = 0, end = 0;
  };
  Dry TakeDry(base::TimeNs now);

  // More than half of the pool is out: the next round should not be long in coming. A walk over the pool. Worker.
  bool UnderPressure() const;

  // Buffers CUPTI asked for before `instant` and has not returned. Worker.
  uint32_t LentBefore(base::TimeNs instant) const;

  uint32_t count() const { return static_cast<uint32_t>(slots_.size()); }

  // What Init takes from the arena.
  static size_t MemoryNeeded(uint32_t count, size_t bytes);

 private:
  enum class State : uint32_t { kFree, kLent, kFilled, kGivenUp };
  struct Slot {
    std::atomic<State> state{State::kFree};
    std::atomic<base::TimeNs> requested{0};  // 0 = not lent
    std::atomic<size_t> lent_bytes{0};
    size_t valid_bytes = 0;  // written before the slot enters filled_, read after it leaves
  };

  void NoteDry();
  bool IsScratch(const uint8_t* data) const { return data == memory_ + slots_.size() * bytes_; }
  uint32_t IndexOf(const uint8_t* data) const;
  const Slot* Oldest() const;
  size_t SizeOf(uint32_t request) const;

  std::span<Slot> slots_;
  uint8_t* memory_ = nullptr;
  size_t bytes_ = 0;
  std::atomic<size_t> lent_bytes_{0};
  std::atomic<uint32_t> requests_{0};
  std::atomic<uint32_t> adapted_at_{0};  // requests_ at the last Adapt
  std::atomic<base::TimeNs> dry_start_{0}, dry_end_{0};
  std::atomic<bool> dry_{false};  // the last request got no buffer
  uint32_t taken_ = 0;            // since the last Adapt
  IndexStack free_;
  BoundedQueue<uint32_t> filled_;
  base::LossCounters* losses_ = nullptr;
};

}  // namespace slowtoken::cupti
