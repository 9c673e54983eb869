// EvidenceFinder: looks for one kind of evidence at a time that explains why a phase took longer than usual
// (docs/ATTRIBUTION.md §5). Each question says no unless what it finds lies inside the phase of largest excess and
// covers at least half of that excess. Asked by StallCauses and FirstTokenCauses; only for stalls and slow first
// tokens, so its cost (walks over what the tables still hold) does not matter; single threaded.
#pragma once

#include "attribution/batch_tracker.h"
#include "attribution/coverage.h"
#include "attribution/devices.h"
#include "attribution/host_work.h"
#include "attribution/iteration_habits.h"
#include "attribution/iteration_table.h"
#include "attribution/own_work.h"
#include "attribution/thread_activity.h"
#include "attribution/throttle_log.h"
#include "record/causes.h"

namespace slowtoken::attribution {

// What is to be explained.
struct CauseCase {
  record::RequestId req = 0;
  const OwnWork& own;
  const Pieces& pieces;    // the times of the phase of largest excess
  uint64_t excess_ns = 0;  // over what is usual
  uint64_t thread = 0;     // ThreadKey of the thread that should have acted in this phase; 0 = none, or not known
};

class EvidenceFinder {
 public:
  struct Parts {
    const IterationTable& iterations;
    const IntervalPool& intervals;
    const BatchTracker& batches;
    const Devices& devices;
    const ThrottleLog& throttles;
    const HostWork& host_work;
    const IterationHabits& habits;
    const ThreadActivity& activity;
  };
  explicit EvidenceFinder(const Parts& parts) : parts_(parts) {}

  // Each fills in `finding`, evidence times as instants, where it answers true.

  // Host work of `kind` on a thread that schedules, launches or samples for the request.
  bool Event(const CauseCase& c, record::Cause cause, record::EvidenceKind kind, record::CauseFinding* finding) const;
  // The same for the first of several that is one. One walk over the host work where there is none, as mostly.
  struct Suspect {
    record::Cause cause;
    record::EvidenceKind kind;
  };
  bool AnyEvent(const CauseCase& c, std::span<const Suspect> suspects, record::CauseFinding* finding) const;
  // Eager launches where a graph is usual, building one, compiling or loading code.
  bool GraphMiss(const CauseCase& c, record::CauseFinding* finding) const;
  // The phase itself says it: preempted, sent late, waiting for a mark.
  bool Whole(const CauseCase& c, record::Cause cause, record::EvidenceKind kind, record::CauseFinding* finding) const;
  // Tokens that are computed again.
  bool Recompute(const CauseCase& c, record::CauseFinding* finding) const;
  bool Collective(const CauseCase& c, record::CauseFinding* finding) const;
  // The prompt of another request: in iterations of its own, or in those it shares with the request.
  bool OtherPrefill(const CauseCase& c, record::CauseFinding* finding) const;
  // Iterations of others, whatever they do.
  bool OtherWork(const CauseCase& c, record::Cause cause, record::EvidenceKind kind,
                 record::CauseFinding* finding) const;
  // Sampling on the GPU, or on a CPU by a thread that ran.
  bool Sampling(const CauseCase& c, record::CauseFinding* finding) const;
  // Decode iterations that did the usual work and took longer.
  bool SlowKernels(const CauseCase& c, record::CauseFinding* finding) const;
  // For a finding of slow kernels: if the GPU's clocks were held down at that time, that is the evidence.
  void PreferClocks(const CauseCase& c, record::CauseFinding* finding) const;
  // The thread that should have acted did not run, or did.
  bool ThreadPaused(const CauseCase& c, record::CauseFinding* finding) const;
  bool ThreadRan(const CauseCase& c, record::CauseFinding* finding) const;
  // It could have run and had no CPU, or none was left of the cgroup's quota: asked where a thread may sleep as well.
  bool ThreadStarved(const CauseCase& c, record::CauseFinding* finding) const;
  const ThreadActivity& activity() const { return parts_.activity; }
  // Not evidence: how that thread spent the phase, into the acting_ members.
  void DescribeThread(const CauseCase& c, record::CauseFinding* finding) const;

 private:
  struct Found {
    uint64_t ns = 0;
    TimeNs start = 0, end = 0;
  };
  static Found Of(Coverage& coverage) { return {coverage.length(), coverage.start(), coverage.end()}; }
  // Fills in `finding` if what was found covers half of the excess.
  static bool Conclude(const CauseCase& c, const Found& found, record::Cause cause, record::EvidenceKind kind,
                       record::CauseFinding* finding);
  ThreadActivity::Taken TakenFrom(const CauseCase& c, const Found& found) const {
    return parts_.activity.TakenFrom(static_cast<record::ProcessIndex>(c.thread >> 32), found.start, found.end);
  }
  // For a finding about a thread: if its cgroup was throttled for half of that time, that is the evidence.
  static bool PreferThrottled(const ThreadActivity::Taken& taken, const Found& found, record::CauseFinding* finding);
  static bool IsOwnThread(const OwnWork& own, uint64_t thread);
  // visit(const Iteration&) for others' iterations, nobody's among them, on the request's devices during the pieces.
  template <typename Visit>
  void ForEachOther(const CauseCase& c, Visit visit) const;
  // The row of the largest prompt piece in the iteration.
  record::RequestId LargestPrefill(const Iteration& iteration, record::RequestId besides) const;

  Parts parts_;
};

}  // namespace slowtoken::attribution
