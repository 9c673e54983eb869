// KernelShapes: from a kernel record to its ShapeId without looking at the name, for kernels that ran before. Worker
// only. A hit costs about 35 instructions: the slot that was used after the last one when that was used before,
// compared by name pointer and the 13 numbers of the launch; launches come in the same order again and again. Where
// they do not, a few slots at the hash's place are compared (60 more). A miss interns the shape.
//
// A name pointer alone proves nothing (kernel_names.h). So a slot's name is asked for again in each round of the worker
// before it is first used in it. More cannot be had: between two reads within one round the memory is the same, and
// what it held before is gone either way.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "cupti/kernel_names.h"
#include "cupti/record_layouts.h"
#include "record/dictionary.h"

namespace slowtoken::cupti {

class KernelShapes {
 public:
  static constexpr size_t kSlots = 4096;

  bool Init(base::Arena& arena) {
    slots_ = arena.AllocateArray<Slot>(kSlots + kReach - 1);
    for (Slot& slot : slots_) slot.follower = slots_.data();
    newest_ = slots_.data();
    return !slots_.empty() && names_.Init(arena);
  }

  // Names known from earlier rounds are checked again from here on.
  void BeginRound() {
    ++round_;
    names_.BeginRound();
  }

  // When the dictionary has no room for more shapes, the shape of the name alone: the kernel keeps its name.
  record::ShapeId ShapeOf(const KernelRecord& kernel, record::Dictionary& dictionary, base::LossCounters& losses) {
    Slot* slot = newest_->follower;
    if (slot->round != round_ || !Matches(kernel, slot->key)) [[unlikely]] {
      slot = newest_->follower = Find(kernel, dictionary, losses);
    }
    newest_ = slot;
    return slot->shape;
  }

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
    uint64_t round = 0;        // in which the name was last asked for; 0 = empty
    Slot* follower = nullptr;  // used after this one last time
  };
  // How many slots from its place on a key may lie.
  static constexpr size_t kReach = 4;

  static constexpr size_t kLaunchOffset = offsetof(KernelRecord, gridX);
  static constexpr size_t kClusterOffset = offsetof(KernelRecord, clusterX);
  static_assert(offsetof(KernelRecord, localMemoryPerThread) == kLaunchOffset + 8 * 4);
  static_assert(offsetof(KernelRecord, clusterZ) == kClusterOffset + 2 * 4);

  static const char* Bytes(const KernelRecord& kernel) { return reinterpret_cast<const char*>(&kernel); }
  static uint64_t Word(const char* bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
  }

  // One branch for all of it: most often everything is equal.
  static bool Matches(const KernelRecord& kernel, const Key& key) {
    const char* launch = Bytes(kernel) + kLaunchOffset;
    const char* known = reinterpret_cast<const char*>(key.launch);
    uint64_t difference = reinterpret_cast<uintptr_t>(kernel.name) ^ reinterpret_cast<uintptr_t>(key.name);
    for (size_t i = 0; i < 4; ++i) difference |= Word(launch + 8 * i) ^ Word(known + 8 * i);
    difference |= Word(Bytes(kernel) + kClusterOffset) ^ Word(reinterpret_cast<const char*>(key.cluster));
    difference |= kernel.localMemoryPerThread ^ key.launch[8];
    difference |= kernel.clusterZ ^ key.cluster[2];
    difference |= static_cast<uint64_t>(kernel.registersPerThread ^ key.registers);
    return difference == 0;
  }

  static Key KeyOf(const KernelRecord& kernel);
  static size_t HomeOf(const KernelRecord& kernel);
  Slot* Find(const KernelRecord& kernel, record::Dictionary& dictionary, base::LossCounters& losses);
  Slot* Learn(const KernelRecord& kernel, record::Dictionary& dictionary, base::LossCounters& losses);
  Slot& SlotFor(const KernelRecord& kernel);

  KernelNames names_;
  std::span<Slot> slots_;
  Slot* newest_ = nullptr;
  uint64_t round_ = 1;
};

}  // namespace slowtoken::cupti
