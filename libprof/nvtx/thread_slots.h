// ThreadSlots: the queues and which host thread owns which. A thread finds its slot with one look into a table at the
// place of its thread pointer, or, where another thread took that place, with one pthread_getspecific; the first time
// it claims a free one (a scan of the owners, one gettid, one pthread_setspecific, which allocates in glibc only if the
// process holds more than 31 keys). When the thread exits, the key's destructor gives the slot back; what its queue
// holds stays for the worker, and the next owner appends behind it.
// Current and Find: host threads, no lock, errno kept. The queues' consumer is the worker.
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>

#include "base/arena.h"
#include "nvtx/call_timer.h"
#include "nvtx/record_queue.h"
#include "nvtx/thread_pointer.h"
#include "record/ids.h"

namespace slowtoken::nvtx {

// Domain ids are below this; the last one stands for all domains that did not fit.
inline constexpr uint32_t kDomainLimit = 128;
inline constexpr uint16_t kOverflowDomain = kDomainLimit - 1;

class ThreadSlots;

// What belongs to one host thread while it lives. Only that thread writes, except the queue's consumer side.
struct HostThread {
  RecordQueue queue;
  std::atomic<bool> busy{
      false};  // inside a handler: refuses re-entry, and tells the worker that an event is on its way
  std::atomic<bool> ready{false};
  uint64_t next_range = 0;  // slot number in the high bits: ids are unique in the process without a shared counter
  std::array<uint32_t, kDomainLimit> levels{};  // open push ranges per domain
  // Which pause the thread last met, and the levels per domain that were open when it did and still are: their pops are
  // recorded. Touched while paused only.
  uint32_t pause = 0;
  std::array<uint32_t, kDomainLimit> open_before_pause{};
  ThreadSlots* slots = nullptr;
  CallTimer timer;
};

class ThreadSlots {
 public:
  // Slots for `threads` threads that share `chunks` chunks, from `arena`, and a thread key. False if either is refused.
  bool Init(base::Arena& arena, uint32_t threads, uint32_t chunks, uint32_t chunk_bytes);

  static size_t MemoryNeeded(uint32_t threads, uint32_t chunks, uint32_t chunk_bytes) {
    return threads * (sizeof(HostThread) + sizeof(uint64_t)) + kPlaces * sizeof(uint64_t) +
           chunks * (size_t{chunk_bytes} + sizeof(uint32_t));
  }

  // In a forked child, before a new ThreadSlots takes over: the threads of the parent are gone.
  void DropKey() { pthread_key_delete(key_); }

  // The calling thread's state; nullptr if there is no slot or no chunk left.
  HostThread* Current() {
    HostThread* thread = AtPlace();
    return __builtin_expect(thread != nullptr, 1) ? thread : ByKeyOrClaim();
  }
  // The same, but never claims.
  HostThread* Find() {
    HostThread* thread = AtPlace();
    return __builtin_expect(thread != nullptr, 1) ? thread : ByKey();
  }

  // The same, where the table shows it at once; else nullptr.
  // One word there says both whose it is and where the slot is, so what another thread puts there meanwhile cannot
  // mislead.
  HostThread* AtPlace() {
    const uint64_t self = ThreadPointer();
    const uint64_t place = PlaceOf(self).load(std::memory_order_relaxed);
    return (place ^ self) << (64 - kPlaceShift) == 0 ? SlotAt(place >> kPlaceShift) : nullptr;
  }

  // The slots that were ever claimed, each at its index for good: few threads of a host use NVTX.
  std::span<HostThread> threads() { return threads_.first(claimed_.load(std::memory_order_acquire)); }

  // The worker: takes the chunk of slot `i` back if no thread owns it and all was read.
  void Reclaim(size_t i);

 private:
  static constexpr size_t kPlaces = 1024;
  static constexpr int kPlaceShift = 48;  // a thread pointer has no more bits; where the slot is stands above:
  static constexpr size_t kUnit = alignof(HostThread);  // in units of this many bytes from the first one
  HostThread* SlotAt(uint64_t units) {
    return reinterpret_cast<HostThread*>(reinterpret_cast<std::byte*>(threads_.data()) + units * kUnit);
  }

  std::atomic<uint64_t>& PlaceOf(uint64_t self) {
    return places_[static_cast<size_t>((self >> 6) * 0x9e3779b97f4a7c15u >> 54)];
  }
  HostThread* ByKey();
  HostThread* ByKeyOrClaim();
  HostThread* Claim();
  HostThread* TakeOwned(uint64_t self);
  HostThread* TakeFree(uint64_t self);
  void NoteClaimed(uint32_t count);
  bool Begin(HostThread& thread);
  void Release(HostThread& thread);
  void Publish(const HostThread& thread);
  // What the key holds of a thread whose exit has begun: a slot it claims now is not put at its place, because the last
  // round of destructors may leave it behind, and the next thread may have the same thread pointer.
  void* Exiting() { return reinterpret_cast<std::byte*>(this) + 1; }
  static bool IsExiting(const void* value) { return (reinterpret_cast<uintptr_t>(value) & 1) != 0; }
  static void OnThreadExit(void* value);

  pthread_key_t key_ = 0;
  ChunkPool pool_;
  std::span<std::atomic<uint64_t>> owners_;  // pthread_self() of the owner, 0 = free
  std::span<std::atomic<uint64_t>> places_;  // thread pointer and slot; 0 = nobody's
  std::span<HostThread> threads_;
  std::atomic<uint32_t> claimed_{0};  // how many, from the first on
};

}  // namespace slowtoken::nvtx
