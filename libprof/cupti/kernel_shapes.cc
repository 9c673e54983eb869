#include "cupti/kernel_shapes.h"

#include <cstring>

namespace slowtoken::cupti {
namespace {

record::KernelShape Describe(record::StringId name, const uint32_t (&launch)[9], const uint32_t (&cluster)[3],
                             uint32_t registers) {
  record::KernelShape shape;
  shape.name = name;
  memcpy(shape.grid, launch, sizeof shape.grid);
  memcpy(shape.block, launch + 3, sizeof shape.block);
  memcpy(shape.cluster, cluster, sizeof shape.cluster);
  shape.static_shared = launch[6];
  shape.dynamic_shared = launch[7];
  shape.local_per_thread = launch[8];
  shape.registers = registers;
  return shape;
}

}  // namespace

KernelShapes::Key KernelShapes::KeyOf(const KernelRecord& kernel) {
  Key key;
  key.name = kernel.name;
  memcpy(key.launch, Bytes(kernel) + kLaunchOffset, sizeof key.launch);
  memcpy(key.cluster, Bytes(kernel) + kClusterOffset, sizeof key.cluster);
  key.registers = kernel.registersPerThread;
  return key;
}

size_t KernelShapes::HomeOf(const KernelRecord& kernel) {
  const char* launch = Bytes(kernel) + kLaunchOffset;
  const uint64_t mixed = (reinterpret_cast<uintptr_t>(kernel.name) ^ Word(launch)) * 0x9e3779b97f4a7c15u +
                         (Word(launch + 8) ^ Word(launch + 24)) * 0x94d049bb133111ebu;
  return static_cast<size_t>(mixed >> 40) % kSlots;
}

KernelShapes::Slot* KernelShapes::Find(const KernelRecord& kernel, record::Dictionary& dictionary,
                                       base::LossCounters& losses) {
  const size_t home = HomeOf(kernel);
  for (size_t i = home; i < home + kReach; ++i) {
    if (slots_[i].round == round_ && Matches(kernel, slots_[i].key)) return &slots_[i];
  }
  return Learn(kernel, dictionary, losses);
}

// The slot that holds this launch already, else one to use for it: the one longest out of use, so that what runs in
// each round stays.
KernelShapes::Slot& KernelShapes::SlotFor(const KernelRecord& kernel) {
  const size_t home = HomeOf(kernel);
  Slot* oldest = &slots_[home];
  for (size_t i = home; i < home + kReach; ++i) {
    if (slots_[i].round != 0 && Matches(kernel, slots_[i].key)) return slots_[i];
    if (slots_[i].round < oldest->round) oldest = &slots_[i];
  }
  oldest->shape = 0;
  return *oldest;
}

KernelShapes::Slot* KernelShapes::Learn(const KernelRecord& kernel, record::Dictionary& dictionary,
                                        base::LossCounters& losses) {
  Slot& slot = SlotFor(kernel);
  const record::StringId name = names_.IdOf(kernel.name, dictionary);
  if (slot.shape == 0 || dictionary.shape(slot.shape).name != name) {
    slot.key = KeyOf(kernel);
    record::KernelShape shape = Describe(name, slot.key.launch, slot.key.cluster, slot.key.registers);
    // The last quarter of the table is kept for names.
    if (dictionary.shape_count() >= dictionary.shape_capacity() / 4 * 3) {
      losses.Add(base::Loss::kShapesFull);
      shape = record::KernelShape{.name = name};
    }
    slot.shape = dictionary.InternShape(shape);
  }
  slot.round = round_;
  return &slot;
}

}  // namespace slowtoken::cupti
