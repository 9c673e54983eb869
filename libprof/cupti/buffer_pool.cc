#include "cupti/buffer_pool.h"

#include <cstring>

namespace slowtoken::cupti {
namespace {

constexpr size_t kPage = 4096;
// No record we ask for is larger in the versions that get the scratch buffer (a kernel record has 216 bytes).
constexpr size_t kLargestRecord = 216;

}  // namespace

bool BufferPool::Init(base::Arena& arena, uint32_t count, size_t bytes, base::LossCounters& losses) {
  losses_ = &losses;
  if (count == 0 || bytes == 0 || bytes % 8 != 0) return false;
  bytes_ = bytes;
  lent_bytes_.store(bytes < kSmallest ? bytes : kSmallest, std::memory_order_relaxed);
  memory_ = static_cast<uint8_t*>(arena.Allocate(bytes * (count + 1), kPage));
  slots_ = arena.AllocateArray<Slot>(count);
  if (memory_ == nullptr || slots_.empty() || !free_.Init(arena, count) || !filled_.Init(arena, count)) return false;
  for (uint32_t i = count; i > 0; --i) free_.Push(i - 1);
  return true;
}

size_t BufferPool::MemoryNeeded(uint32_t count, size_t bytes) {
  return bytes * (count + 1) + kPage + count * (sizeof(Slot) + 4 + 2 * 16) + 256;
}

// The first eighth of the pool goes out at the calm size, then each 32nd part at twice the size of the one before.
size_t BufferPool::SizeOf(uint32_t request) const {
  const size_t calm = slots_.size() / 8, step = slots_.size() / 32 + 1;
  size_t bytes = lent_bytes();
  for (size_t n = calm; n <= request && bytes < bytes_; n += step) bytes *= 2;
  return bytes < bytes_ ? bytes : bytes_;
}

BufferPool::Buffer BufferPool::Request(bool null_allowed) {
  const uint32_t request = requests_.fetch_add(1, std::memory_order_relaxed);
  const uint32_t index = free_.Pop();
  if (index != IndexStack::kNone) {
    Slot& slot = slots_[index];
    const size_t bytes = SizeOf(request - adapted_at_.load(std::memory_order_relaxed));
    slot.lent_bytes.store(bytes, std::memory_order_relaxed);
    const base::TimeNs now = base::MonotonicNow();
    slot.requested.store(now, std::memory_order_relaxed);
    slot.state.store(State::kLent, std::memory_order_release);
    if (dry_.load(std::memory_order_relaxed)) [[unlikely]] {
      dry_end_.store(now, std::memory_order_relaxed);
      dry_.store(false, std::memory_order_relaxed);
    }
    return {memory_ + index * bytes_, bytes};
  }
  losses_->Add(base::Loss::kNoActivityBuffer);
  NoteDry();
  if (null_allowed) return {};
  return {memory_ + slots_.size() * bytes_, bytes_};
}

void BufferPool::NoteDry() {
  const base::TimeNs now = base::MonotonicNow();
  base::TimeNs none = 0;
  dry_start_.compare_exchange_strong(none, now, std::memory_order_relaxed);
  dry_end_.store(now, std::memory_order_relaxed);
  dry_.store(true, std::memory_order_relaxed);
}

BufferPool::Dry BufferPool::TakeDry(base::TimeNs now) {
  const base::TimeNs start = dry_start_.exchange(0, std::memory_order_relaxed);
  if (start == 0) return {};
  return {start, dry_.load(std::memory_order_relaxed) ? now : dry_end_.load(std::memory_order_relaxed)};
}

bool BufferPool::UnderPressure() const {
  size_t out = 0;
  for (const Slot& slot : slots_) out += slot.state.load(std::memory_order_relaxed) != State::kFree;
  return out > slots_.size() / 2;
}

uint32_t BufferPool::IndexOf(const uint8_t* data) const {
  if (data < memory_) return IndexStack::kNone;
  const size_t offset = static_cast<size_t>(data - memory_);
  const size_t index = offset / bytes_;
  return index < slots_.size() && offset % bytes_ == 0 ? static_cast<uint32_t>(index) : IndexStack::kNone;
}

void BufferPool::Complete(uint8_t* data, size_t valid_bytes) {
  if (IsScratch(data)) {
    // Others may be writing into it: it cannot be read. This is the least number of records it can have held.
    const uint64_t records = (valid_bytes + kLargestRecord - 1) / kLargestRecord;
    losses_->Add(base::Loss::kReserveBufferDiscarded, records);
    NoteDry();
    return;
  }
  const uint32_t index = IndexOf(data);
  if (index == IndexStack::kNone) return;
  Slot& slot = slots_[index];
  State lent = State::kLent;
  // A buffer that is not lent would be read twice (bug log row 45).
  if (!slot.state.compare_exchange_strong(lent, State::kFilled, std::memory_order_acq_rel)) return;
  slot.valid_bytes = valid_bytes <= bytes_ ? valid_bytes : bytes_;
  filled_.Push(index);  // always has room: each slot is in it at most once
}

BufferPool::Buffer BufferPool::TakeFilled() {
  uint32_t index = 0;
  if (!filled_.Pop(index)) return {};
  ++taken_;
  return {memory_ + index * bytes_, slots_[index].valid_bytes};
}

void BufferPool::Recycle(const Buffer& filled, bool zero) {
  const uint32_t index = IndexOf(filled.data);
  if (zero) memset(filled.data, 0, filled.bytes);
  slots_[index].requested.store(0, std::memory_order_relaxed);
  slots_[index].state.store(State::kFree, std::memory_order_relaxed);
  free_.Push(index);
}

bool BufferPool::IsLent(const uint8_t* data) const {
  const uint32_t index = data == nullptr ? IndexStack::kNone : IndexOf(data);
  return index != IndexStack::kNone && slots_[index].state.load(std::memory_order_acquire) == State::kLent;
}

void BufferPool::GiveUpLent(base::TimeNs instant) {
  for (Slot& slot : slots_) {
    const base::TimeNs requested = slot.requested.load(std::memory_order_relaxed);
    State lent = State::kLent;
    if (requested == 0 || requested > instant) continue;
    if (slot.state.compare_exchange_strong(lent, State::kGivenUp)) slot.requested.store(0, std::memory_order_relaxed);
  }
}

uint32_t BufferPool::Reclaim() {
  uint32_t count = 0;
  for (uint32_t index = 0; index < slots_.size(); ++index) {
    if (slots_[index].state.load(std::memory_order_relaxed) != State::kGivenUp) continue;
    memset(memory_ + index * bytes_, 0, bytes_);  // how much of it was filled, nobody knows
    slots_[index].state.store(State::kFree, std::memory_order_relaxed);
    free_.Push(index);
    ++count;
  }
  return count;
}

const BufferPool::Slot* BufferPool::Oldest() const {
  const Slot* oldest = nullptr;
  base::TimeNs since = UINT64_MAX;
  for (const Slot& slot : slots_) {
    const base::TimeNs requested = slot.requested.load(std::memory_order_relaxed);
    if (requested == 0 || requested >= since) continue;
    since = requested;
    oldest = &slot;
  }
  return oldest;
}

base::TimeNs BufferPool::OldestOutstanding() const {
  const Slot* oldest = Oldest();
  return oldest == nullptr ? 0 : oldest->requested.load(std::memory_order_relaxed);
}

uint32_t BufferPool::LentBefore(base::TimeNs instant) const {
  uint32_t lent = 0;
  for (const Slot& slot : slots_) {
    const base::TimeNs requested = slot.requested.load(std::memory_order_relaxed);
    lent += requested != 0 && requested < instant && slot.state.load(std::memory_order_acquire) == State::kLent;
  }
  return lent;
}

void BufferPool::Adapt(base::TimeNs now) {
  const bool busy = taken_ > slots_.size() / 4;
  taken_ = 0;
  adapted_at_.store(requests_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  const size_t bytes = lent_bytes();
  if (busy) {
    lent_bytes_.store(bytes * 4 < bytes_ ? bytes * 4 : bytes_, std::memory_order_relaxed);
    return;
  }
  const Slot* oldest = Oldest();
  if (oldest == nullptr || oldest->requested.load(std::memory_order_relaxed) + kTooLong > now) return;
  // One that was lent larger says nothing about the size of now.
  if (oldest->lent_bytes.load(std::memory_order_relaxed) > bytes || bytes <= kSmallest) return;
  lent_bytes_.store(bytes / 4 > kSmallest ? bytes / 4 / 8 * 8 : kSmallest, std::memory_order_relaxed);
}

}  // namespace slowtoken::cupti
