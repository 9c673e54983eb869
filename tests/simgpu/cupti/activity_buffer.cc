#include "simgpu/cupti/activity_buffer.h"

#include <cstdlib>
#include <cstring>

namespace simgpu::cupti {

void* Slot::Pack() const {
  const uint64_t word = (uint64_t{buffer} + 1) << 40 | (offset / 8) << 8 | kind;
  return reinterpret_cast<void*>(word);
}

Slot Slot::Unpack(const void* packed) {
  const auto word = reinterpret_cast<uint64_t>(packed);
  return {static_cast<uint32_t>((word >> 40) - 1), (word >> 8 & 0xffffffffu) * 8, static_cast<uint8_t>(word & 0xffu)};
}

void ActivityBuffer::Open(uint8_t* data, size_t size, size_t max_records) {
  const std::lock_guard lock(mutex_);
  data_ = data;
  size_ = size;
  used_ = 0;
  records_ = 0;
  max_records_ = max_records;
  closed_ = false;
  full = false;
  repeats_.clear();
}

bool ActivityBuffer::Append(const void* record, size_t size, bool pending, bool repeat, uint64_t* offset) {
  const std::lock_guard lock(mutex_);
  if (max_records_ != 0 && records_ >= max_records_) return false;
  if (used_ + size > size_) return false;
  *offset = used_;
  std::memcpy(data_ + used_, record, size);
  used_ += size;
  ++records_;
  if (repeat && used_ + size <= size_ && (max_records_ == 0 || records_ < max_records_)) {
    std::memcpy(data_ + used_, record, size);
    repeats_.push_back({*offset, used_, size});
    used_ += size;
    ++records_;
  }
  if (pending) pending_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

ActivityBuffer::Closed ActivityBuffer::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  for (const Repeat& repeat : repeats_) std::memcpy(data_ + repeat.to, data_ + repeat.from, repeat.size);
  return {data_, size_, used_};
}

void ActivityBuffer::ScribblePastEnd(int byte) {
  const std::lock_guard lock(mutex_);
  if (!closed_) std::memset(data_ + used_, byte, size_ - used_);
}

BufferTable::BufferTable()
    : buffers_(
          static_cast<std::atomic<ActivityBuffer*>*>(std::calloc(kCapacity, sizeof(std::atomic<ActivityBuffer*>)))) {}

ActivityBuffer* BufferTable::Take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    std::erase_if(waiting_, [this](ActivityBuffer* buffer) {
      if (buffer->pending() != 0) return false;
      free_.push_back(buffer);
      return true;
    });
  }
  if (!free_.empty()) {
    ActivityBuffer* buffer = free_.back();
    free_.pop_back();
    return buffer;
  }
  if (used_ == kCapacity) return nullptr;
  auto* buffer = new ActivityBuffer(used_);
  buffers_[used_++].store(buffer, std::memory_order_release);
  return buffer;
}

void BufferTable::Recycle(ActivityBuffer* buffer) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(buffer);
}

}  // namespace simgpu::cupti
