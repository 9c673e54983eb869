// KernelNames: from the memory in which CUPTI keeps a kernel's name to the name's StringId. Worker only. CUPTI recycles
// that memory when modules are unloaded (Triton's JIT does that), so a text is compared again in each round of the
// worker before it is first used in it; after that a name costs a look at one slot, however many shapes it is launched
// in: an eager prefill has another grid for each length.
#pragma once

#include <cstring>
#include <span>

#include "record/dictionary.h"

namespace slowtoken::cupti {

class KernelNames {
 public:
  bool Init(base::Arena& arena) {
    slots_ = arena.AllocateArray<Slot>(kSlots);
    return !slots_.empty();
  }

  // Texts known from earlier rounds are compared again from here on.
  void BeginRound() { ++round_; }

  // 0 for no name, and where the dictionary is full (it counts that).
  record::StringId IdOf(const char* name, record::Dictionary& dictionary) {
    if (name == nullptr) return 0;
    Slot& slot = slots_[(reinterpret_cast<uintptr_t>(name) * 0x9e3779b97f4a7c15u >> 40) % kSlots];
    if (slot.name == name && slot.round == round_) return slot.id;
    if (slot.name != name || !IsText(name, dictionary.text(slot.id))) slot.id = dictionary.InternText(name);
    slot.name = slot.id == 0 ? nullptr : name;
    slot.round = round_;
    return slot.id;
  }

 private:
  static constexpr size_t kSlots = 4096;
  struct Slot {
    const char* name = nullptr;
    uint64_t round = 0;  // in which the text was last compared
    record::StringId id = 0;
  };

  // Bounded by `text` and a terminator: never reads past the end of a shorter recycled name.
  static bool IsText(const char* name, std::string_view text) {
    return strncmp(name, text.data(), text.size()) == 0 && name[text.size()] == '\0';
  }

  std::span<Slot> slots_;
  uint64_t round_ = 1;
};

}  // namespace slowtoken::cupti
