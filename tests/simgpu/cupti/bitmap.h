// A lock-free set of API callback ids. Room for ids newer than the header's, as a newer libcupti would report.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace simgpu::cupti {

class ApiBitmap {
 public:
  static constexpr uint32_t kCapacity = 2048;

  bool Test(uint32_t id) const {
    return id < kCapacity && (words_[id / 64].load(std::memory_order_relaxed) >> (id % 64) & 1u) != 0;
  }

  void Set(uint32_t id, bool on) {
    if (id >= kCapacity) return;
    const uint64_t bit = uint64_t{1} << (id % 64);
    if (on) {
      words_[id / 64].fetch_or(bit);
    } else {
      words_[id / 64].fetch_and(~bit);
    }
  }

  void SetAll(bool on) {
    for (auto& word : words_) word.store(on ? ~uint64_t{0} : 0);
  }

  bool any() const {
    for (const auto& word : words_) {
      if (word.load(std::memory_order_relaxed) != 0) return true;
    }
    return false;
  }

 private:
  std::array<std::atomic<uint64_t>, kCapacity / 64> words_{};
};

}  // namespace simgpu::cupti
