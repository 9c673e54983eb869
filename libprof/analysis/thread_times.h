// ThreadTimes: what each watched thread did all the time of a trace: off a CPU, why, and when it moved to another.
// Asked after the last event how a thread spent an interval. Single threaded, offline. 24 bytes for each OffCpu of a
// thread, a look-up costs a binary search.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <vector>

#include "record/thread_states.h"

namespace slowtoken::analysis {

class ThreadTimes {
 public:
  void Add(const record::OffCpu& off);
  void Add(const record::CpuSample& sample);
  // After the last event, before the first question.
  void Finish();

  struct Spent {
    uint64_t known_ns = 0;  // every switch is known of this much of the interval: the sum of the next three
    uint64_t ran_ns = 0, preempted_ns = 0, blocked_ns = 0;
    uint64_t migrations = 0;

    Spent& operator+=(const Spent& more);
  };
  // `thread`: attribution::ThreadKey. A wait for a CPU after a sleep is in `blocked_ns`: no switch tells it.
  Spent In(uint64_t thread, record::TimeNs start, record::TimeNs end) const;

 private:
  struct Off {
    record::TimeNs start = 0, end = 0;
    bool preempted = false, migrated = false;
  };
  struct Known {
    record::TimeNs start = 0, end = 0;
  };
  struct Thread {
    std::vector<Off> off;
    std::vector<Known> known;  // exact samples, those that touch are one
  };
  // All of [start, end) is known.
  static Spent Within(const Thread& thread, record::TimeNs start, record::TimeNs end);

  absl::flat_hash_map<uint64_t, Thread> threads_;
};

}  // namespace slowtoken::analysis
