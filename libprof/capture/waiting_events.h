// WaitingEvents: events of which it cannot be told yet whether the trace keeps them: calls of which the iteration is
// not known, GPU work of which the call is not known. Held in order of arrival, for a round or two. Part of
// DetailSampler; worker thread; a copy of at most 72 bytes an event. Takes its memory at Init; full, Add refuses.
#pragma once

#include <cstring>
#include <type_traits>

#include "base/arena.h"
#include "record/gpu_events.h"
#include "record/host_events.h"

namespace slowtoken::capture {

class WaitingEvents {
 public:
  bool Init(base::Arena& arena, uint32_t capacity) {
    events_ = arena.AllocateArray<Waiting>(capacity);
    return !events_.empty();
  }

  bool Add(const record::Kernel& e, base::TimeNs now) { return Put(Kind::kKernel, e, now); }
  bool Add(const record::Memcpy& e, base::TimeNs now) { return Put(Kind::kMemcpy, e, now); }
  bool Add(const record::Memset& e, base::TimeNs now) { return Put(Kind::kMemset, e, now); }
  bool Add(const record::GraphLaunch& e, base::TimeNs now) { return Put(Kind::kGraphLaunch, e, now); }
  bool Add(const record::Synchronization& e, base::TimeNs now) { return Put(Kind::kSynchronization, e, now); }
  bool Add(const record::ApiCall& e, base::TimeNs now) { return Put(Kind::kApiCall, e, now); }

  // visit(event, since) in order of arrival; those for which it returns true are done with. `since`: when it came.
  template <typename Visit>
  void Sweep(Visit visit) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count_; ++i) {
      if (Show(events_[i], visit)) continue;
      if (kept != i) events_[kept] = events_[i];
      ++kept;
    }
    count_ = kept;
  }

  bool empty() const { return count_ == 0; }

 private:
  enum class Kind : uint8_t { kKernel, kMemcpy, kMemset, kGraphLaunch, kSynchronization, kApiCall };
  static constexpr size_t kMostBytes = 72;
  struct Waiting {
    alignas(8) std::byte event[kMostBytes];
    base::TimeNs since;
    Kind kind;
  };

  template <typename Event>
  bool Put(Kind kind, const Event& event, base::TimeNs now) {
    static_assert(sizeof(Event) <= kMostBytes && std::is_trivially_copyable_v<Event>);
    if (count_ == events_.size()) return false;
    Waiting& waiting = events_[count_++];
    memcpy(waiting.event, &event, sizeof event);
    waiting.since = now;
    waiting.kind = kind;
    return true;
  }

  template <typename Event, typename Visit>
  static bool ShowAs(const Waiting& waiting, Visit& visit) {
    Event event;
    memcpy(static_cast<void*>(&event), waiting.event, sizeof event);
    return visit(event, waiting.since);
  }
  template <typename Visit>
  static bool Show(const Waiting& waiting, Visit& visit) {
    switch (waiting.kind) {
      case Kind::kKernel:
        return ShowAs<record::Kernel>(waiting, visit);
      case Kind::kMemcpy:
        return ShowAs<record::Memcpy>(waiting, visit);
      case Kind::kMemset:
        return ShowAs<record::Memset>(waiting, visit);
      case Kind::kGraphLaunch:
        return ShowAs<record::GraphLaunch>(waiting, visit);
      case Kind::kSynchronization:
        return ShowAs<record::Synchronization>(waiting, visit);
      case Kind::kApiCall:
        break;
    }
    return ShowAs<record::ApiCall>(waiting, visit);
  }

  std::span<Waiting> events_;
  uint32_t count_ = 0;
};

}  // namespace slowtoken::capture
