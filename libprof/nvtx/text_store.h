// TextStore: a bounded heap of texts that are never freed (names of domains, registered strings, schema fields).
// Add: any host thread, lock-free (one compare-exchange), copies the text. Texts stay valid as long as the arena.
#pragma once

#include <atomic>
#include <cstring>
#include <string_view>

#include "base/arena.h"

namespace slowtoken::nvtx {

class TextStore {
 public:
  bool Init(base::Arena& arena, uint32_t bytes) {
    bytes_ = arena.AllocateArray<char>(bytes);
    return !bytes_.empty();
  }

  // Copies `text` and sets `kept` to the copy. False if there is no room.
  bool Add(std::string_view text, std::string_view& kept) {
    uint32_t used = used_.load(std::memory_order_relaxed);
    do {
      if (text.size() > bytes_.size() - used) return false;
    } while (!used_.compare_exchange_weak(used, used + static_cast<uint32_t>(text.size()), std::memory_order_relaxed));
    if (!text.empty()) memcpy(bytes_.data() + used, text.data(), text.size());
    kept = {bytes_.data() + used, text.size()};
    return true;
  }

 private:
  std::span<char> bytes_;
  std::atomic<uint32_t> used_{0};
};

}  // namespace slowtoken::nvtx
