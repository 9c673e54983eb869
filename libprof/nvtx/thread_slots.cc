#include "nvtx/thread_slots.h"

#include <errno.h>
#include <unistd.h>

#include "capture/clock_map.h"

namespace slowtoken::nvtx {
namespace {

constexpr unsigned kRangeCounterBits = 40;

uint64_t Self() { return static_cast<uint64_t>(pthread_self()); }

// The owner of a slot while the worker looks after it: no thread has this identity.
constexpr uint64_t kWorker = 1;

void WriteHeader(RecordQueue& queue, const RecordQueue::Room& room, Op op, uint32_t text) {
  RecordHeader header;
  header.size = sizeof header;
  header.op = op;
  header.stamp = capture::RawStamp();
  header.text = text;
  memcpy(room.at, &header, sizeof header);
  queue.Commit(room);
}

}  // namespace

bool ThreadSlots::Init(base::Arena& arena, uint32_t threads, uint32_t chunks, uint32_t chunk_bytes) {
  owners_ = arena.AllocateArray<std::atomic<uint64_t>>(threads);
  threads_ = arena.AllocateArray<HostThread>(threads);
  places_ = arena.AllocateArray<std::atomic<uint64_t>>(kPlaces);
  if (owners_.empty() || threads_.empty() || places_.empty() || !pool_.Init(arena, chunks, chunk_bytes)) return false;
  for (uint32_t i = 0; i < threads; ++i) {
    threads_[i].queue.Init(pool_);
    threads_[i].next_range = (uint64_t{i} + 1) << kRangeCounterBits;
    threads_[i].slots = this;
  }
  return pthread_key_create(&key_, OnThreadExit) == 0;
}

HostThread* ThreadSlots::ByKey() {
  void* value = pthread_getspecific(key_);
  return IsExiting(value) ? nullptr : static_cast<HostThread*>(value);
}

HostThread* ThreadSlots::ByKeyOrClaim() {
  void* value = pthread_getspecific(key_);
  if (value != nullptr && !IsExiting(value)) return static_cast<HostThread*>(value);
  HostThread* thread = Claim();
  if (thread != nullptr && value == nullptr) Publish(*thread);
  return thread;
}

void ThreadSlots::Publish(const HostThread& thread) {
  const uint64_t self = ThreadPointer();
  const uint64_t units = static_cast<uint64_t>(&thread - threads_.data()) * (sizeof(HostThread) / kUnit);
  if (self >> kPlaceShift != 0 || units >> (64 - kPlaceShift) != 0) return;
  PlaceOf(self).store(self | units << kPlaceShift, std::memory_order_relaxed);
}

HostThread* ThreadSlots::Claim() {
  const int saved_errno = errno;
  const uint64_t self = Self();
  HostThread* thread = TakeOwned(self);
  if (thread == nullptr) thread = TakeFree(self);
  if (thread != nullptr && !Begin(*thread)) thread = nullptr;
  errno = saved_errno;
  return thread;
}

// A slot that already carries this thread's mark: left over from a dead thread of the same name whose destructor did
// not run, or (not ready) one that this very thread is claiming further up its stack; that one must not be touched.
HostThread* ThreadSlots::TakeOwned(uint64_t self) {
  for (size_t i = 0; i < owners_.size(); ++i) {
    if (owners_[i].load(std::memory_order_acquire) == self && threads_[i].ready.load(std::memory_order_acquire)) {
      // Every call ends with a release of `busy`: the dead thread's last one is seen whole.
      static_cast<void>(threads_[i].busy.load(std::memory_order_acquire));
      return &threads_[i];
    }
  }
  return nullptr;
}

HostThread* ThreadSlots::TakeFree(uint64_t self) {
  for (size_t i = 0; i < owners_.size(); ++i) {
    if (owners_[i].load(std::memory_order_relaxed) == self) return nullptr;
  }
  for (size_t i = 0; i < owners_.size(); ++i) {
    uint64_t nobody = 0;
    if (owners_[i].load(std::memory_order_relaxed) == 0 &&
        owners_[i].compare_exchange_strong(nobody, self, std::memory_order_acquire, std::memory_order_relaxed)) {
      NoteClaimed(static_cast<uint32_t>(i + 1));
      return &threads_[i];
    }
  }
  return nullptr;
}

void ThreadSlots::NoteClaimed(uint32_t count) {
  uint32_t claimed = claimed_.load(std::memory_order_relaxed);
  while (claimed < count && !claimed_.compare_exchange_weak(claimed, count, std::memory_order_release)) continue;
}

// Busy until its first record stands: from pthread_setspecific on, a signal handler that uses NVTX finds the slot.
bool ThreadSlots::Begin(HostThread& thread) {
  thread.ready.store(false, std::memory_order_relaxed);
  thread.levels = {};
  thread.pause = 0;
  thread.busy.store(true, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  RecordQueue::Room room;
  const bool begun = thread.queue.Open() && thread.queue.Reserve(sizeof(RecordHeader), room) &&
                     pthread_setspecific(key_, &thread) == 0;
  if (begun) {
    WriteHeader(thread.queue, room, Op::kThreadStart, static_cast<uint32_t>(gettid()));
    thread.ready.store(true, std::memory_order_release);
  }
  thread.busy.store(false, std::memory_order_release);
  if (!begun) owners_[static_cast<size_t>(&thread - threads_.data())].store(0, std::memory_order_release);
  return begun;
}

// A signal handler that uses NVTX may come anywhere here. While the slot stands at its place it records as ever; then
// it finds no slot until this one is free, so that it never comes between the reservation of the last record and that
// record, and never finds a slot that has another owner.
void ThreadSlots::Release(HostThread& thread) {
  const uint64_t self = ThreadPointer();
  thread.ready.store(false, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  uint64_t place = PlaceOf(self).load(std::memory_order_relaxed);
  if ((place ^ self) << (64 - kPlaceShift) == 0) {
    PlaceOf(self).compare_exchange_strong(place, 0, std::memory_order_relaxed);
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
  WriteHeader(thread.queue, thread.queue.ReserveLast(), Op::kThreadExit, 0);
  owners_[static_cast<size_t>(&thread - threads_.data())].store(0, std::memory_order_release);
}

void ThreadSlots::Reclaim(size_t i) {
  uint64_t nobody = 0;
  if (!threads_[i].queue.IsDrained() || owners_[i].load(std::memory_order_relaxed) != 0 ||
      !owners_[i].compare_exchange_strong(nobody, kWorker, std::memory_order_acquire, std::memory_order_relaxed)) {
    return;
  }
  threads_[i].queue.Close();
  owners_[i].store(0, std::memory_order_release);
}

// What is claimed from here on is the next round's of destructors.
void ThreadSlots::OnThreadExit(void* value) {
  const int saved_errno = errno;
  const bool exiting = IsExiting(value);
  auto* thread = exiting ? nullptr : static_cast<HostThread*>(value);
  ThreadSlots* slots = exiting ? reinterpret_cast<ThreadSlots*>(static_cast<std::byte*>(value) - 1) : thread->slots;
  pthread_setspecific(slots->key_, slots->Exiting());
  if (thread != nullptr) slots->Release(*thread);
  errno = saved_errno;
}

}  // namespace slowtoken::nvtx
