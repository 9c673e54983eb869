// RingReader: reads the records of a perf ring (perf_event_mmap_page and its data): context switches and losses. The
// kernel writes, we read, without a system call. Worker thread; some 10 ns a record.
// The layout is that of linux/perf_event.h; the event must have sample_id_all with TID, TIME and CPU.
#pragma once

#include <linux/perf_event.h>

#include <cstring>
#include <span>

#include "base/time.h"

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "RingReader takes perf_event_header as one word");

namespace slowtoken::sched {

// A thread went off the CPU or came back.
struct Switch {
  base::TimeNs time = 0;
  bool out = false;
  bool preempted = false;  // out only: it could have gone on
  uint32_t cpu = 0;        // the one it left, or came to
};

class RingReader {
 public:
  RingReader() = default;
  // `data.size()` is a power of two.
  RingReader(perf_event_mmap_page& page, std::span<const std::byte> data) : page_(&page), data_(data) {}

  // Takes all that is there: on_switch(Switch), on_lost(count) in the order of the ring. on_lost(0): a record may be
  // missing at this place, how many the kernel says later.
  template <typename OnSwitch, typename OnLost>
  void Drain(OnSwitch on_switch, OnLost on_lost) {
    const uint64_t head = __atomic_load_n(&page_->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = page_->data_tail;
    const uint64_t used = head - tail;
    while (tail < head) {
      const uint64_t header = Word(tail);
      const uint64_t size = header >> 48;
      if (size < sizeof header || size % sizeof header != 0 || size > head - tail) {  // not the ring we know
        on_lost(uint64_t{0});
        tail = head;
        break;
      }
      Take(header, size, tail, on_switch, on_lost);
      tail += size;
    }
    __atomic_store_n(&page_->data_tail, tail, __ATOMIC_RELEASE);
    last_used_ = used;
    if (used + kRoomForOne > data_.size()) on_lost(uint64_t{0});
  }

  // Bytes that the last Drain found.
  uint64_t last_used() const { return last_used_; }
  size_t size() const { return data_.size(); }

 private:
  // A switch (32 bytes) and the record of a loss before it (48): where they find room nothing was dropped.
  static constexpr size_t kRoomForOne = 88;

  // Time and CPU end the record: sample_id is pid, tid, time, cpu, res (perf_event_open(2), sample_id_all).
  template <typename OnSwitch, typename OnLost>
  void Take(uint64_t header, uint64_t size, uint64_t at, OnSwitch& on_switch, OnLost& on_lost) const {
    const auto type = static_cast<uint32_t>(header);
    const uint64_t misc = header >> 32 & 0xffff;
    if (size < 4 * sizeof(uint64_t)) return;
    if (type == PERF_RECORD_SWITCH) {
      on_switch(Switch{.time = Word(at + size - 2 * sizeof(uint64_t)),
                       .out = (misc & PERF_RECORD_MISC_SWITCH_OUT) != 0,
                       .preempted = (misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0,
                       .cpu = static_cast<uint32_t>(Word(at + size - sizeof(uint64_t)))});
    } else if (type == PERF_RECORD_LOST) {
      on_lost(Word(at + 2 * sizeof(uint64_t)));  // struct { header; u64 id; u64 lost; … }
    }
  }

  // Records and all that is in them begin at multiples of 8, so that no word is broken in two at the ring's end. The
  // first is perf_event_header: type, misc and size, from the lowest bit on.
  uint64_t Word(uint64_t at) const {
    uint64_t word;
    memcpy(&word, data_.data() + (at & (data_.size() - 1)), sizeof word);
    return word;
  }

  perf_event_mmap_page* page_ = nullptr;
  std::span<const std::byte> data_;
  uint64_t last_used_ = 0;
};

}  // namespace slowtoken::sched
