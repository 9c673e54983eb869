// RecycledStrings: registered strings beyond the table of permanent ones. Some hosts register a new text for every
// event (the Python binding does, and engines put counters into names), so the number has no bound. Here the oldest
// gives way; a handle that was recycled yields no text. Handlers copy the text at the event, so it must live only that
// long. Add and Copy: any host thread, lock-free; a slot is a sequence lock over whole words, so that a torn read is
// seen (two writers meet in one slot only if one sleeps while the others register as many texts as there are slots).
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <span>
#include <string_view>

#include "base/arena.h"

namespace slowtoken::nvtx {

class RecycledStrings {
 public:
  static constexpr uint32_t kTextBytes = 240;

  // `count` is rounded up to a power of two.
  bool Init(base::Arena& arena, uint32_t count) {
    slots_ = arena.AllocateArray<Slot>(std::bit_ceil(count));
    return !slots_.empty();
  }

  static size_t MemoryNeeded(uint32_t count) { return std::bit_ceil(count) * sizeof(Slot); }

  // Keeps the first kTextBytes of `text`; its ticket (never 0).
  uint64_t Add(std::string_view text) {
    const uint64_t ticket = next_.fetch_add(1, std::memory_order_relaxed) + 1;
    Slot& slot = slots_[ticket & (slots_.size() - 1)];
    std::array<uint64_t, kWords> words{};
    const size_t size = text.size() < kTextBytes ? text.size() : kTextBytes;
    if (size != 0) memcpy(words.data(), text.data(), size);
    slot.ticket.exchange(0, std::memory_order_acq_rel);
    slot.size.store(static_cast<uint32_t>(size), std::memory_order_relaxed);
    for (size_t i = 0; i * 8 < size; ++i) slot.words[i].store(words[i], std::memory_order_relaxed);
    slot.ticket.store(ticket, std::memory_order_release);
    return ticket;
  }

  // Copies the text of `ticket` into `out`; its size, or 0 if it was recycled.
  uint32_t Copy(uint64_t ticket, std::array<char, kTextBytes>& out) const {
    const Slot& slot = slots_[ticket & (slots_.size() - 1)];
    if (slot.ticket.load(std::memory_order_acquire) != ticket) return 0;
    const uint32_t size = slot.size.load(std::memory_order_relaxed);
    if (size > kTextBytes) return 0;
    for (size_t i = 0; i * 8 < size; ++i) {
      const uint64_t word = slot.words[i].load(std::memory_order_acquire);
      memcpy(out.data() + i * 8, &word, 8);
    }
    return slot.ticket.load(std::memory_order_relaxed) == ticket ? size : 0;
  }

 private:
  static constexpr size_t kWords = kTextBytes / 8;
  struct Slot {
    std::atomic<uint64_t> ticket{0};
    std::atomic<uint32_t> size{0};
    std::array<std::atomic<uint64_t>, kWords> words{};
  };

  std::span<Slot> slots_;
  std::atomic<uint64_t> next_{0};
};

}  // namespace slowtoken::nvtx
