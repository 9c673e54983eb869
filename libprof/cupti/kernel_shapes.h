// KernelShapes: from a kernel record to its ShapeId without looking at the name, for kernels that ran before. Worker
// only. A hit costs about 35 instructions: a slot near the hash's place, compared by name pointer and the 13 numbers of
// the launch. A miss interns name and shape (about 300 ns for a name of 170 characters).
//
// A name pointer alone proves nothing: CUPTI owns that memory and recycles it when modules are unloaded (Triton's JIT
// does that). So a slot's text is compared again in each round of the worker before it is first used in it. More cannot
// be had: between two reads within one round the memory is the same, and what it held before is gone either way.
#pragma once

#include <cstdint>
#include <span>

#include "cupti/record_layouts.h"
#include "record/dictionary.h"

namespace slowtoken::cupti {

class KernelShapes {
 public:
  static constexpr size_t kSlots = 4096;

  bool Init(base::Arena& arena) {
    slots_ = arena.AllocateArray<Slot>(kSlots + kReach - 1);
    return !slots_.empty();
  }

  // Texts known from earlier rounds are checked again from here on.
  void BeginRound() { ++round_; }

  // When the dictionary has no room for more shapes, the shape of the name alone: the kernel keeps its name.
  record::ShapeId ShapeOf(const KernelRecord& kernel, record::Dictionary& dictionary, base::LossCounters& losses);

 private:
  // What tells one launch shape from another, as it stands in the record.
  struct Key {
    const char* name = nullptr;
    uint32_t launch[9] = {};  // grid, block, static and dynamic shared memory, local memory per thread
    uint32_t cluster[3] = {};
    uint16_t registers = 0;
  };
  struct Slot {
    Key key;
    record::ShapeId shape = 0;
    uint64_t round = 0;  // in which the name's text was last compared; 0 = empty
  };
  // How many slots from its place on a key may lie.
  static constexpr size_t kReach = 4;

  static Key KeyOf(const KernelRecord& kernel);
  static bool Matches(const KernelRecord& kernel, const Key& key);
  static size_t HomeOf(const KernelRecord& kernel);
  record::ShapeId Learn(const KernelRecord& kernel, record::Dictionary& dictionary, base::LossCounters& losses);
  static bool TextHolds(const Slot& slot, const record::Dictionary& dictionary);
  Slot& SlotFor(const KernelRecord& kernel);

  std::span<Slot> slots_;
  uint64_t round_ = 1;
};

}  // namespace slowtoken::cupti
