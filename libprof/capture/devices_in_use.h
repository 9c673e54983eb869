// DevicesInUse: the devices on which this process has a context, as CUPTI told them. Filled by the fanout, read by
// sources; worker thread. Bounded: of more devices than a machine has the first count.
#pragma once

#include <array>
#include <cstddef>

#include "record/resources.h"

namespace slowtoken::capture {

class DevicesInUse {
 public:
  static constexpr size_t kMost = 32;

  void Add(const record::DeviceInfo& info) {
    Entry* entry = Find(info.ordinal);
    if (entry == nullptr) return;
    entry->info = info;
    entry->known = true;
  }
  void Add(const record::ContextInfo& context) {
    if (Entry* entry = Find(context.device); entry != nullptr) entry->used = true;
  }

  // Calls use(const record::DeviceInfo&) for each that is used and whose UUID is known.
  template <typename Use>
  void ForEach(Use use) const {
    for (size_t i = 0; i < count_; ++i) {
      if (entries_[i].used && entries_[i].known) use(entries_[i].info);
    }
  }

 private:
  struct Entry {
    record::DeviceInfo info;
    bool known = false;
    bool used = false;
  };

  Entry* Find(uint32_t ordinal) {
    for (size_t i = 0; i < count_; ++i) {
      if (entries_[i].info.ordinal == ordinal) return &entries_[i];
    }
    if (count_ == kMost) return nullptr;
    entries_[count_].info.ordinal = ordinal;
    return &entries_[count_++];
  }

  std::array<Entry, kMost> entries_{};
  size_t count_ = 0;
};

}  // namespace slowtoken::capture
