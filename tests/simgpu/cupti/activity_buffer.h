// One activity buffer the client gave: where records are placed, which of them still lack their end, and whether the
// memory is still ours. Written by the owning thread, completed by whichever thread advances the simulated device (with
// the engine's lock held), closed by a flush: one uncontended mutex per operation. Objects are recycled through
// BufferTable once nothing refers to them.
#pragma once

#include <cupti.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace simgpu::cupti {

// Where a record lies, packed so that it travels through the engine as a non-NULL pointer: buffer index + 1 (24 bits),
// offset / 8 (32 bits), record kind (8 bits). Valid until the record is completed: the buffer object outlives its
// pending records.
struct Slot {
  uint32_t buffer = 0;
  uint64_t offset = 0;
  uint8_t kind = 0;

  void* Pack() const;
  static Slot Unpack(const void* packed);
};

class ActivityBuffer {
 public:
  // A closed buffer's memory: what goes back to the client.
  struct Closed {
    uint8_t* data = nullptr;
    size_t size = 0;
    size_t valid = 0;
  };

  explicit ActivityBuffer(uint32_t index) : index_(index) {}

  // Takes over the client's memory. max_records 0 = no limit.
  void Open(uint8_t* data, size_t size, size_t max_records);

  // Places a record. `pending` = its end is still to come. `repeat` = reserve room for a second copy made at Close.
  // False when full.
  bool Append(const void* record, size_t size, bool pending, bool repeat, uint64_t* offset);

  // Ends a pending record: `fill` writes into it, unless the memory has been handed out meanwhile. True when `fill`
  // ran.
  template <class Fill>
  bool Complete(uint64_t offset, Fill fill) {
    const std::lock_guard lock(mutex_);
    pending_.fetch_sub(1, std::memory_order_release);
    if (closed_) return false;
    fill(data_ + offset);
    return true;
  }

  // Ends the life of the memory with us. Nothing is written to it afterwards (fault write_after_stop apart).
  Closed Close();

  // Fault write_after_stop: fills what lies behind the last record.
  void ScribblePastEnd(int byte);

  uint32_t index() const { return index_; }
  uint32_t pending() const { return pending_.load(std::memory_order_acquire); }
  bool AtRecordLimit() const { return max_records_ != 0 && records_ >= max_records_; }
  size_t records() const { return records_; }
  uint8_t* data() const { return data_; }
  size_t size() const { return size_; }

  // Set by the queue when the buffer was found full, as opposed to left partly filled by a thread that ended.
  bool full = false;

 private:
  struct Repeat {
    uint64_t from, to;
    size_t size;
  };

  const uint32_t index_;
  std::mutex mutex_;
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
  size_t used_ = 0;
  size_t records_ = 0;
  size_t max_records_ = 0;
  std::atomic<uint32_t> pending_{0};
  bool closed_ = true;
  std::vector<Repeat> repeats_;
};

// All buffer objects by index. Lookup is lock-free; objects are recycled, never freed.
class BufferTable {
 public:
  static constexpr uint32_t kCapacity = 1u << 20;

  BufferTable();
  ActivityBuffer* Take();  // NULL when kCapacity buffers are in use
  void Recycle(ActivityBuffer* buffer);
  ActivityBuffer& At(uint32_t index) { return *buffers_[index].load(std::memory_order_acquire); }

 private:
  std::atomic<ActivityBuffer*>* buffers_;
  std::mutex mutex_;
  uint32_t used_ = 0;
  // Handed-out buffers whose late completions are still to come stay here until those have arrived.
  std::vector<ActivityBuffer*> free_, waiting_;
};

}  // namespace simgpu::cupti
