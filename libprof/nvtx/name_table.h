// NameTable: texts numbered from 1 in order of arrival; the same text in the same scope has one number (hosts register
// the same domain in several modules, and some the same string at every push). Numbers are the handles NVTX hands out.
// Intern: any host thread, lock-free, one hash and a few probes. Text: any thread, one array access. Never shrinks.
#pragma once

#include <atomic>
#include <bit>
#include <span>

#include "base/hash.h"
#include "nvtx/text_store.h"

namespace slowtoken::nvtx {

class NameTable {
 public:
  bool Init(base::Arena& arena, uint32_t capacity, TextStore& store) {
    entries_ = arena.AllocateArray<Entry>(size_t{capacity} + 1);
    index_ = arena.AllocateArray<std::atomic<uint32_t>>(std::bit_ceil(size_t{capacity} * 2));
    store_ = &store;
    return !entries_.empty() && !index_.empty();
  }

  static size_t MemoryNeeded(uint32_t capacity) {
    return (size_t{capacity} + 1) * sizeof(Entry) + std::bit_ceil(size_t{capacity} * 2) * sizeof(uint32_t);
  }

  // The number of `text` in `scope`; 0 if it is new and there is no room.
  uint32_t Intern(uint32_t scope, std::string_view text) {
    const uint64_t hash = base::HashText(text) ^ base::MixHash(scope);
    uint32_t fresh = 0;
    for (size_t i = static_cast<size_t>(hash);; ++i) {
      std::atomic<uint32_t>& slot = index_[i & (index_.size() - 1)];
      uint32_t id = slot.load(std::memory_order_acquire);
      if (id == 0) {
        if (fresh == 0) fresh = Allocate(scope, text);
        if (fresh == 0 || slot.compare_exchange_strong(id, fresh, std::memory_order_acq_rel)) return fresh;
      }
      if (entries_[id].scope == scope && entries_[id].text == text) return id;
    }
  }

  // Empty for numbers never handed out.
  std::string_view Text(uint32_t id) const {
    if (id >= entries_.size() || !entries_[id].ready.load(std::memory_order_acquire)) return {};
    return entries_[id].text;
  }

  // Numbers up to this one may be in use.
  uint32_t last() const {
    const uint32_t used = used_.load(std::memory_order_acquire);
    return used < entries_.size() ? used : static_cast<uint32_t>(entries_.size()) - 1;
  }

 private:
  struct Entry {
    std::string_view text;
    uint32_t scope = 0;
    std::atomic<bool> ready{false};
  };

  uint32_t Allocate(uint32_t scope, std::string_view text) {
    uint32_t used = used_.load(std::memory_order_relaxed);
    do {
      if (used + 1 >= entries_.size()) return 0;
    } while (!used_.compare_exchange_weak(used, used + 1, std::memory_order_acq_rel));
    Entry& entry = entries_[used + 1];
    entry.scope = scope;
    if (!store_->Add(text, entry.text)) return 0;
    entry.ready.store(true, std::memory_order_release);
    return used + 1;
  }

  std::span<Entry> entries_;
  std::span<std::atomic<uint32_t>> index_;
  std::atomic<uint32_t> used_{0};
  TextStore* store_ = nullptr;
};

}  // namespace slowtoken::nvtx
