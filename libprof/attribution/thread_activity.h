// ThreadActivity: how the watched threads spent the last seconds, and what the host took from the process. Filled from
// OffCpu, CpuSample and HostSample events in any order, asked for stalls and slow first tokens only; used by
// attribution; single threaded; bounded: the oldest are forgotten first. A question costs a walk over what the threads
// did in the time asked for, and until the thread's next item after it.
#pragma once

#include "attribution/coverage.h"
#include "attribution/iteration.h"
#include "base/loss.h"
#include "record/thread_states.h"

namespace slowtoken::attribution {

class ThreadActivity {
 public:
  bool Init(base::Arena& arena, uint32_t off_cpu, uint32_t samples, base::LossCounters& losses);

  void Add(const record::OffCpu& off);
  void Add(const record::CpuSample& sample);
  void Add(const record::HostSample& sample);

  // Whether enough of some time is known to say how it was spent: nine tenths.
  static bool IsKnown(uint64_t known_ns, uint64_t whole_ns) { return known_ns >= whole_ns - whole_ns / 10; }

  // How a thread spent some pieces of time. `known`: samples cover enough of them; else nothing is said.
  struct Answer {
    bool known = false;
    bool exact = false;                 // every moment off the CPU is known; else the totals of the samples, shared out
    uint64_t off_ns = 0;                // not on a CPU
    uint64_t waited_ns = 0;             // of them, runnable without one, at most
    uint64_t preempted_ns = 0;          // of that, what is sure; exact only
    uint32_t migrations = 0;            // from one CPU to another; exact only
    TimeNs off_start = 0, off_end = 0;  // hull; exact only
  };
  Answer Over(uint64_t thread, const Pieces& pieces) const;

  // How much of `off_ns` a thread could have run. A wait for a CPU after a sleep is in no switch, only in the totals of
  // its samples, and has no place there: `by_totals` is as much of it as may have been in the time asked about.
  static uint64_t Waited(uint64_t off_ns, uint64_t preempted_ns, uint64_t by_totals) {
    return std::min(std::max(preempted_ns, by_totals), off_ns);
  }

  // visit(start, end, preempted) for each time in [from, to] that the thread was off the CPU, in order.
  template <typename Visit>
  void ForEachOff(uint64_t thread, TimeNs from, TimeNs to, Visit visit) const {
    ForEachOf(off_.first(off_count_), thread, from, to,
              [&](const Off& off) { visit(off.start, off.end, off.preempted); });
  }

  // What the host took from the process while [from, to] lasted.
  struct Taken {
    uint64_t throttled_ns = 0;
    uint64_t major_faults = 0;
  };
  Taken TakenFrom(record::ProcessIndex process, TimeNs from, TimeNs to) const;

  // Forgets what ended before `before`.
  void Prune(TimeNs before);

 private:
  struct Off {
    uint64_t thread = 0;
    TimeNs start = 0, end = 0;
    bool preempted = false, migrated = false;
  };
  struct Sample {
    uint64_t thread = 0;
    TimeNs start = 0, end = 0;
    uint64_t ran_ns = 0, waited_ns = 0;
    bool exact = false;
  };
  static constexpr size_t kHostSamples = 256;

  // visit(item) for the thread's items that meet (from, to). Ordered by end as all of them are, those of one thread
  // are ordered by start too: one thread does one thing at a time.
  template <typename Item, typename Visit>
  static void ForEachOf(std::span<Item> items, uint64_t thread, TimeNs from, TimeNs to, Visit visit) {
    auto item = std::upper_bound(items.begin(), items.end(), from, [](TimeNs t, const Item& i) { return t < i.end; });
    for (; item != items.end(); ++item) {
      if (item->thread != thread) continue;
      if (item->start >= to) return;
      visit(*item);
    }
  }

  std::span<Off> off_;         // by end
  std::span<Sample> samples_;  // by end
  std::span<record::HostSample> host_;
  size_t off_count_ = 0, sample_count_ = 0, host_count_ = 0;
  base::LossCounters* losses_ = nullptr;
};

}  // namespace slowtoken::attribution
