// LiveState: the resources every chunk repeats, so that it can be read alone: devices, contexts, streams, threads, NVTX
// domains and categories, source states, conditions, the newest clock snapshot, detail level and totals. Belongs to
// ChunkEncoder (worker thread). Bounded: a full table forgets its oldest entry (which earlier chunks have). Put is a
// linear search; resources are few.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/arena.h"
#include "record/conditions.h"
#include "record/detail_events.h"
#include "record/resources.h"
#include "record/session_events.h"

namespace slowtoken::trace {

template <typename T>
class LiveTable {
 public:
  bool Init(base::Arena& arena, size_t capacity) {
    items_ = arena.AllocateArray<T>(capacity);
    return !items_.empty();
  }

  // Replaces the item for which same(item) is true, else adds `item`.
  template <typename Same>
  void Put(const T& item, Same same) {
    for (T& old : items_.first(count_)) {
      if (same(old)) {
        old = item;
        return;
      }
    }
    if (count_ < items_.size()) {
      items_[count_++] = item;
    } else {
      items_[oldest_] = item;
      oldest_ = (oldest_ + 1) % items_.size();
    }
  }

  // As Put, but the item becomes the last one: for what is read in the order of its time.
  template <typename Same>
  void PutLast(const T& item, Same same) {
    size_t kept = 0;
    for (size_t i = 0; i < count_; ++i) {
      if (!same(items_[i])) items_[kept++] = items_[i];
    }
    if (kept == items_.size()) {
      std::copy(items_.begin() + 1, items_.end(), items_.begin());
      --kept;
    }
    items_[kept] = item;
    count_ = kept + 1;
  }

  // Forgets every item for which another one replaces(item, other).
  template <typename Replaces>
  void Compact(Replaces replaces) {
    size_t kept = 0;
    for (size_t i = 0; i < count_; ++i) {
      bool replaced = false;
      for (const T& other : items_.first(count_)) replaced = replaced || replaces(items_[i], other);
      if (!replaced) items_[kept++] = items_[i];
    }
    count_ = kept;
    oldest_ = 0;
  }

  std::span<const T> items() const { return items_.first(count_); }
  void Clear() { count_ = oldest_ = 0; }

 private:
  std::span<T> items_;
  size_t count_ = 0;
  size_t oldest_ = 0;
};

struct LiveState {
  LiveTable<record::DeviceInfo> devices;
  LiveTable<record::ContextInfo> contexts;
  LiveTable<record::StreamInfo> streams;
  LiveTable<record::ThreadInfo> threads;
  LiveTable<record::NvtxDomainInfo> domains;
  LiveTable<record::NvtxCategoryInfo> categories;
  LiveTable<record::SourceStatus> sources;
  LiveTable<record::Condition> conditions;
  LiveTable<record::DeviceSample> device_samples;  // the newest of each device; not repeated in chunks
  record::ClockSnapshot clock;                     // the newest; monotonic == 0: none yet
  record::DetailChange detail;                     // the newest; time == 0: none yet
  record::LossTotals losses;
  record::CaptureTotals totals;

  bool Init(base::Arena& arena) {
    return devices.Init(arena, 64) && contexts.Init(arena, 256) && streams.Init(arena, 1024) &&
           threads.Init(arena, 2048) && domains.Init(arena, 256) && categories.Init(arena, 1024) &&
           sources.Init(arena, 64) && conditions.Init(arena, 128) && device_samples.Init(arena, 64);
  }

  // After a chunk: of a source's states each stays once, with its newest time. A chunk tells every change in it.
  void ForgetOldSourceStates() {
    sources.Compact([](const record::SourceStatus& old, const record::SourceStatus& other) {
      return old.source == other.source && old.state == other.state && old.time < other.time;
    });
  }

  void Clear() {
    devices.Clear();
    contexts.Clear();
    streams.Clear();
    threads.Clear();
    domains.Clear();
    categories.Clear();
    sources.Clear();
    conditions.Clear();
    device_samples.Clear();
    clock = {};
    detail = {};
    losses = {};
    totals = {};
  }

  // Calls use(StringId) for every text the state names.
  template <typename Use>
  void ForEachText(Use use) const {
    for (const auto& d : devices.items()) use(d.name);
    for (const auto& t : threads.items()) use(t.name);
    for (const auto& d : domains.items()) use(d.name);
    for (const auto& c : categories.items()) use(c.name);
    for (const auto& s : sources.items()) use(s.detail);
    for (const auto& c : conditions.items()) {
      use(c.name);
      use(c.value);
    }
  }
};

}  // namespace slowtoken::trace
