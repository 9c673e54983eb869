// WatchList: the threads whose states are told, at most as many as its limit, chosen from those that matter for a token
// (capture/active_threads.h): those that compute before those that serve, those active lately before those that are
// not. Worker thread; a walk over 256 entries a round for each thread it begins to watch, and what the watched ones
// cost.
#pragma once

#include <array>
#include <span>

#include "capture/active_threads.h"
#include "sched/watched_thread.h"

namespace slowtoken::sched {

class WatchList {
 public:
  static constexpr size_t kMost = 16;
  // A watched thread silent for so long gives way to one that is active, if there is no room for both.
  static constexpr record::TimeNs kSilence = 1'000'000'000;

  // `limit` is at most kMost.
  void Init(size_t limit) { limit_ = limit; }

  // Tells what the watched threads did until `until`. Those that have ended are forgotten, here and by `active`.
  void Look(record::TimeNs until, capture::ActiveThreads& active, const WatchContext& context);

  // Begins to watch who became active. began(WatchedThread&, Entry&) for each; a thread that computes and for which
  // there is no room is counted, once. Of those that only serve (a connection each) many are left out in any ordinary
  // run.
  template <typename Began>
  void Choose(record::TimeNs now, capture::ActiveThreads& active, const WatchContext& context, Began began);

  void EndAll();
  void ForgetInChild();

  template <typename Visit>
  void ForEach(Visit visit) {
    for (WatchedThread& watched : watched_) {
      if (watched.in_use()) visit(watched);
    }
  }

 private:
  using Entry = capture::ActiveThreads::Entry;

  using Entries = std::array<Entry*, capture::ActiveThreads::kMost>;

  bool Watches(record::ThreadId thread) const;
  // Those active within kSilence and not watched, those that matter most first.
  std::span<Entry*> Candidates(record::TimeNs now, capture::ActiveThreads& active, Entries& room) const;
  // There is no room for these.
  static void LeaveOut(std::span<Entry*> entries, const WatchContext& context);
  // A free place, or that of a watched thread that matters less than `entry`; nullptr when there is none.
  WatchedThread* PlaceFor(const Entry& entry, record::TimeNs now, capture::ActiveThreads& active);

  std::array<WatchedThread, kMost> watched_;
  size_t limit_ = 0;
};

template <typename Began>
void WatchList::Choose(record::TimeNs now, capture::ActiveThreads& active, const WatchContext& context, Began began) {
  Entries room;
  const std::span<Entry*> candidates = Candidates(now, active, room);
  for (size_t i = 0; i < candidates.size(); ++i) {
    Entry& entry = *candidates[i];
    WatchedThread* place = PlaceFor(entry, now, active);
    if (place == nullptr) return LeaveOut(candidates.subspan(i), context);  // those behind it matter less
    if (place->Begin(entry.thread, now, context)) {
      began(*place, entry);
    } else {
      active.Forget(entry.thread);
    }
  }
}

}  // namespace slowtoken::sched
