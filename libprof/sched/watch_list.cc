#include "sched/watch_list.h"

#include <algorithm>

namespace slowtoken::sched {
namespace {

// Whether `a` matters less than `b`.
bool Less(const capture::ActiveThreads::Entry& a, const capture::ActiveThreads::Entry& b) {
  return a.role != b.role ? a.role < b.role : a.last < b.last;
}

}  // namespace

void WatchList::Look(record::TimeNs until, capture::ActiveThreads& active, const WatchContext& context) {
  ForEach([&](WatchedThread& watched) {
    if (watched.Look(until, context)) return;
    active.Forget(watched.thread());
    watched.End();
  });
}

bool WatchList::Watches(record::ThreadId thread) const {
  for (const WatchedThread& watched : watched_) {
    if (watched.thread() == thread) return true;
  }
  return false;
}

std::span<WatchList::Entry*> WatchList::Candidates(record::TimeNs now, capture::ActiveThreads& active,
                                                   Entries& room) const {
  size_t count = 0;
  active.ForEach([&](Entry& entry) {
    const bool matters = entry.role != capture::ActiveThreads::Role::kNone && entry.last + kSilence >= now;
    if (matters && !Watches(entry.thread)) room[count++] = &entry;
  });
  const std::span<Entry*> candidates(room.data(), count);
  std::sort(candidates.begin(), candidates.end(), [](const Entry* a, const Entry* b) { return Less(*b, *a); });
  return candidates;
}

void WatchList::LeaveOut(std::span<Entry*> entries, const WatchContext& context) {
  for (Entry* entry : entries) {
    const bool computes = entry->role == capture::ActiveThreads::Role::kComputes;
    if (computes && !entry->left_out) context.losses.Add(base::Loss::kThreadsUnwatched);
    entry->left_out = true;
  }
}

// One that computes takes the place of one that serves at once; equals only after a silence, so that threads that take
// turns do not drive each other out in every round.
WatchedThread* WatchList::PlaceFor(const Entry& entry, record::TimeNs now, capture::ActiveThreads& active) {
  WatchedThread* least = nullptr;
  Entry least_entry{.role = entry.role, .last = UINT64_MAX};
  for (size_t i = 0; i < limit_; ++i) {
    if (!watched_[i].in_use()) return &watched_[i];
    Entry known{.thread = watched_[i].thread()};  // no longer among the active: matters least
    active.ForEach([&](const Entry& e) {
      if (e.thread == known.thread) known = e;
    });
    if (!Less(known, least_entry)) continue;
    least = &watched_[i];
    least_entry = known;
  }
  if (least == nullptr) return nullptr;
  return least_entry.role < entry.role || least_entry.last + kSilence < now ? least : nullptr;
}

void WatchList::EndAll() {
  ForEach([](WatchedThread& watched) { watched.End(); });
}

void WatchList::ForgetInChild() {
  ForEach([](WatchedThread& watched) { watched.ForgetInChild(); });
}

}  // namespace slowtoken::sched
