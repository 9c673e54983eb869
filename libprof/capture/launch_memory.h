// LaunchMemory: of each CUDA call whether the trace keeps it, by correlation id, so that what it launched is kept or
// left out with it, whenever that comes. Remembers the last 262,144 ids. Part of DetailSampler; worker thread; one
// store a call, one load a question. 512 KB of the arena.
#pragma once

#include "base/arena.h"
#include "record/ids.h"

namespace slowtoken::capture {

class LaunchMemory {
 public:
  enum class Kept : uint8_t { kUnknown, kNo, kYes };

  bool Init(base::Arena& arena) {
    slots_ = arena.AllocateArray<uint16_t>(kSlots);
    return !slots_.empty();
  }

  void Set(record::CorrelationId id, bool kept) {
    slots_[id % kSlots] = static_cast<uint16_t>(Tag(id) | (kept ? 1 : 0));
  }

  Kept Get(record::CorrelationId id) const {
    const uint16_t slot = slots_[id % kSlots];
    if ((slot & ~1u) != Tag(id)) return Kept::kUnknown;
    return (slot & 1) != 0 ? Kept::kYes : Kept::kNo;
  }

 private:
  static constexpr uint32_t kIndexBits = 18;
  static constexpr uint32_t kSlots = 1u << kIndexBits;
  // The bits of the id above the index, a bit that says the slot is in use, and one for the answer: 16 in all.
  static constexpr uint32_t Tag(record::CorrelationId id) { return id >> kIndexBits << 2 | 2; }

  std::span<uint16_t> slots_;
};

}  // namespace slowtoken::capture
