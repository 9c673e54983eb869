#include "attribution/stall_causes.h"

namespace slowtoken::attribution {

using record::Cause;
using record::EvidenceKind;
using record::GapPhase;

namespace {

// A phase that took no more than this part of the gap longer than usual explains nothing: such a gap is a stall only
// because few were seen before it, or because the service level lies at what is usual.
constexpr uint64_t kLeastPart = 20;

bool IsHostPhase(GapPhase phase) {
  return phase == GapPhase::kSchedule || phase == GapPhase::kSubmit || phase == GapPhase::kGpuIdle ||
         phase == GapPhase::kCommitWait;
}

// The thread that should have acted in a phase of the iteration.
uint64_t ThreadFor(const Iteration& iteration, GapPhase phase) {
  const uint64_t schedules = iteration.schedule_thread != 0 ? iteration.schedule_thread : iteration.launch_thread;
  const uint64_t launches = iteration.launch_thread != 0 ? iteration.launch_thread : iteration.schedule_thread;
  switch (phase) {
    case GapPhase::kSchedule:
    case GapPhase::kCommitWait:
      return schedules;
    case GapPhase::kSubmit:
    case GapPhase::kGpuIdle:
      return launches;
    case GapPhase::kSample:
      return iteration.sample_thread != 0 ? iteration.sample_thread : launches;
    default:
      return 0;
  }
}

// The iteration whose threads should have acted; nullptr: none is known.
const Iteration* ActingIn(const OwnWork& own) {
  if (own.yield != nullptr) return own.yield;
  return own.entries.empty() ? nullptr : own.entries.back().iteration;
}

}  // namespace

void StallCauses::Judge(const GapInputs& inputs, record::GapSummary* gap) {
  if ((gap->flags & record::kOverlapsBlind) != 0) {
    gap->finding.evidence = EvidenceKind::kBlind;
    return;
  }
  if (gap->excess_ns < gap->gap_ns / kLeastPart) return;
  const Pieces pieces = phases_.PiecesOf(gap->largest_phase);
  const Iteration* acting = ActingIn(inputs.own);
  const CauseCase c{inputs.request.id, inputs.own, pieces, gap->excess_ns,
                    acting != nullptr ? ThreadFor(*acting, gap->largest_phase) : 0};
  if (!Find(c, gap->largest_phase, &gap->finding)) gap->finding = {};
  evidence_.DescribeThread(c, &gap->finding);
  gap->finding.evidence_start_ns -= std::min(gap->finding.evidence_start_ns, gap->start);
  gap->finding.evidence_end_ns -= std::min(gap->finding.evidence_end_ns, gap->start);
}

void StallCauses::TellThreads(const GapInputs& inputs, const record::GapSummary& gap, PhaseThreadVisitor& out) const {
  const Iteration* acting = ActingIn(inputs.own);
  if (acting == nullptr) return;
  for (const GapPhase phase :
       {GapPhase::kSchedule, GapPhase::kSubmit, GapPhase::kGpuIdle, GapPhase::kSample, GapPhase::kCommitWait}) {
    const auto index = static_cast<size_t>(phase);
    const uint64_t thread = ThreadFor(*acting, phase);
    if (gap.phases[index] == 0 || thread == 0) continue;
    out.On(
        {gap.req, gap.n, index, thread, gap.phases[index], evidence_.activity().Over(thread, phases_.PiecesOf(phase))});
  }
}

// In order of precedence: the more specific first.
bool StallCauses::Find(const CauseCase& c, GapPhase phase, record::CauseFinding* finding) const {
  static constexpr EvidenceFinder::Suspect kSuspects[] = {{Cause::kProfiler, EvidenceKind::kOwnFlush},
                                                          {Cause::kHostPaused, EvidenceKind::kGc},
                                                          {Cause::kKvCacheSync, EvidenceKind::kKvWork},
                                                          {Cause::kKvCacheSync, EvidenceKind::kMemoryCall}};
  const EvidenceFinder& look = evidence_;
  if (look.AnyEvent(c, kSuspects, finding) || look.GraphMiss(c, finding)) return true;
  switch (phase) {
    case GapPhase::kPreempted:
      return look.Whole(c, Cause::kPreempted, EvidenceKind::kPreemption, finding);
    case GapPhase::kTransport:
      if (!look.Whole(c, Cause::kTransportBackpressure, EvidenceKind::kCommittedEarly, finding)) return false;
      finding->amount = finding->evidence_ns;
      return true;
    case GapPhase::kUnattributed:
      return false;
    default:
      break;
  }
  return look.Recompute(c, finding) || look.Collective(c, finding) || look.OtherPrefill(c, finding) ||
         (phase == GapPhase::kSample && look.Sampling(c, finding)) ||
         (phase == GapPhase::kGpuBusy && look.SlowKernels(c, finding)) || look.ThreadPaused(c, finding) ||
         (IsHostPhase(phase) && look.ThreadRan(c, finding));
}

}  // namespace slowtoken::attribution
