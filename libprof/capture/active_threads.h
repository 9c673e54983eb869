// ActiveThreads: which threads of the host matter for a token, found from what the worker decodes: those with ranges of
// an iteration or CUDA work, and those with `req.*` ranges or marks. Filled by Fanout, read by sched/. Worker thread;
// one compare a CUDA call while the same thread goes on, else a search among eight entries. Bounded: the one silent for
// longest gives way.
#pragma once

#include <array>
#include <span>

#include "base/hash.h"
#include "record/annotation.h"
#include "record/host_events.h"
#include "record/resources.h"

namespace slowtoken::capture {

class ActiveThreads {
 public:
  static constexpr size_t kBuckets = 32, kWays = 8, kMost = kBuckets * kWays;

  // What a thread does for a token; the later one matters more.
  enum class Role : uint8_t { kNone, kServes, kComputes };

  struct Entry {
    record::ThreadId thread = 0;  // 0: unused
    Role role = Role::kNone;
    bool named = false;     // a ThreadInfo has been told
    bool left_out = false;  // the reader's: counted as not watched
    record::TimeNs last = 0;
  };

  void Note(const record::Annotation& e) {
    const Role role = RoleOf(e.name);
    if (role != Role::kNone) Note(e.thread, role, e.end != 0 ? e.end : e.start);
  }
  void Note(std::span<const record::ApiCall> calls) {
    for (const record::ApiCall& call : calls) {
      if (IsGpuWork(call.api_class)) Note(call.thread, Role::kComputes, call.end);
    }
  }
  void Note(const record::ThreadInfo& e) {
    if (e.thread != 0) Find(e.thread).named = true;
  }

  // visit(Entry&) for each thread known.
  template <typename Visit>
  void ForEach(Visit visit) {
    for (Entry& entry : entries_) {
      if (entry.thread != 0) visit(entry);
    }
  }

  // The thread has ended; its id may be used again.
  void Forget(record::ThreadId thread) {
    if (thread != 0) Find(thread) = {};
  }

 private:
  static Role RoleOf(record::AnnotationName name) {
    if (record::IsIterationRange(name)) return Role::kComputes;
    return name <= record::AnnotationName::kReqFinish ? Role::kServes : Role::kNone;
  }
  static bool IsGpuWork(record::ApiClass api) {
    return api >= record::ApiClass::kKernelLaunch && api <= record::ApiClass::kSynchronize;
  }

  void Note(record::ThreadId thread, Role role, record::TimeNs at) {
    if (thread == 0) return;
    if (newest_->thread != thread) newest_ = &Find(thread);
    if (newest_->role < role) newest_->role = role;
    if (newest_->last < at) newest_->last = at;
  }

  // The thread's entry; a new one takes the place of the one silent for longest in its bucket.
  Entry& Find(record::ThreadId thread) {
    Entry* bucket = &entries_[base::MixHash(thread) % kBuckets * kWays];
    Entry* oldest = bucket;
    for (Entry* at = bucket; at != bucket + kWays; ++at) {
      if (at->thread == thread) return *at;
      if (at->last < oldest->last) oldest = at;
    }
    *oldest = {.thread = thread};
    return *oldest;
  }

  std::array<Entry, kMost> entries_{};
  Entry* newest_ = entries_.data();
};

}  // namespace slowtoken::capture
