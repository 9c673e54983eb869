#include "attribution/first_token_causes.h"

namespace slowtoken::attribution {

using record::Cause;
using record::CauseFinding;
using record::Confidence;
using record::EvidenceKind;
using record::TtftPhase;

namespace {

Confidence ConfidenceOf(uint64_t ns, uint64_t excess_ns) {
  return ns >= excess_ns - excess_ns / 5 ? Confidence::kHigh : Confidence::kLow;
}

// What the acting thread did stays true.
void TakeBackCause(CauseFinding& finding) {
  finding = {.acting_ran_ns = finding.acting_ran_ns,
             .acting_waited_ns = finding.acting_waited_ns,
             .acting_blocked_ns = finding.acting_blocked_ns,
             .acting_thread = finding.acting_thread,
             .acting_migrations = finding.acting_migrations};
}

bool Covers(uint64_t ns, uint64_t excess_ns) { return ns != 0 && ns >= excess_ns - excess_ns / 2; }

}  // namespace

TimeNs FirstTokenCauses::EarliestEvent(const Request& request, TimeNs before) const {
  TimeNs earliest = request.saw_req ? std::min(request.arrival, before) : before;
  for (PoolIndex i = request.events; i != 0; i = parts_.requests.event(i).next) {
    earliest = std::min(earliest, parts_.requests.event(i).start);
  }
  return earliest;
}

void FirstTokenCauses::JudgeTail(const TtftInputs& inputs, TtftTail* tail) {
  const TimeNs from = EarliestEvent(inputs.request, tail->split);
  const record::TtftPhases phases = parts_.phases.MakeWhole(inputs, from);
  uint64_t excess = 0;
  for (size_t i = 0; i < phases.size(); ++i) {
    const auto phase = static_cast<TtftPhase>(i);
    if (phase == TtftPhase::kHandoff || parts_.rule.Excess(phase, phases[i]) <= excess) continue;
    excess = parts_.rule.Excess(phase, phases[i]);
    tail->judged = phase;
  }
  FindBusyTokenizer(inputs.request.id, from, inputs.instant, &tail->handoff);
  if (excess == 0) return;
  const Pieces pieces = parts_.phases.PiecesOf(tail->judged);
  const CauseCase c{inputs.request.id, inputs.own, pieces, excess, ThreadFor(inputs, tail->judged)};
  if (!Find(c, tail->judged, &tail->finding)) tail->finding = {};
  parts_.evidence.DescribeThread(c, &tail->finding);
}

void FirstTokenCauses::TellThreads(const TtftInputs& inputs, PhaseThreadVisitor& out) const {
  for (const TtftPhase phase : {TtftPhase::kTokenize, TtftPhase::kSchedule, TtftPhase::kSubmit, TtftPhase::kPrefillWait,
                                TtftPhase::kSample, TtftPhase::kCommitWait}) {
    const Pieces pieces = parts_.phases.PiecesOf(phase);
    const uint64_t thread = ThreadFor(inputs, phase);
    if (pieces.length() == 0 || thread == 0) continue;
    out.On({inputs.request.id, 0, static_cast<size_t>(phase), thread, pieces.length(),
            parts_.evidence.activity().Over(thread, pieces)});
  }
}

uint64_t FirstTokenCauses::ThreadFor(const TtftInputs& inputs, TtftPhase phase) const {
  if (phase == TtftPhase::kTokenize) {
    return OwnTokenising(inputs.request.id, 0, inputs.instant).thread;
  }
  const Iteration* first = inputs.own.first();
  if (first == nullptr) return 0;
  const uint64_t schedules = first->schedule_thread != 0 ? first->schedule_thread : first->launch_thread;
  const uint64_t launches = first->launch_thread != 0 ? first->launch_thread : first->schedule_thread;
  switch (phase) {
    case TtftPhase::kQueue:
    case TtftPhase::kSchedule:
    case TtftPhase::kCommitWait:
      return schedules;
    case TtftPhase::kSubmit:
    case TtftPhase::kPrefillWait:
      return launches;
    case TtftPhase::kSample:
      return inputs.own.yield != nullptr && inputs.own.yield->sample_thread != 0 ? inputs.own.yield->sample_thread
                                                                                 : launches;
    default:
      return 0;
  }
}

bool FirstTokenCauses::FindHostCause(const CauseCase& c, CauseFinding* finding) const {
  return parts_.evidence.ThreadPaused(c, finding) || parts_.evidence.ThreadRan(c, finding);
}

bool FirstTokenCauses::Find(const CauseCase& c, TtftPhase phase, CauseFinding* finding) const {
  static constexpr EvidenceFinder::Suspect kSuspects[] = {
      {Cause::kProfiler, EvidenceKind::kOwnFlush},    {Cause::kHostPaused, EvidenceKind::kGc},
      {Cause::kColdStart, EvidenceKind::kJit},        {Cause::kColdStart, EvidenceKind::kModelLoad},
      {Cause::kColdStart, EvidenceKind::kModuleLoad}, {Cause::kColdStart, EvidenceKind::kGraphBuild},
      {Cause::kKvCacheSync, EvidenceKind::kKvWork},   {Cause::kKvCacheSync, EvidenceKind::kMemoryCall}};
  const EvidenceFinder& look = parts_.evidence;
  if (look.AnyEvent(c, kSuspects, finding)) return true;
  switch (phase) {
    case TtftPhase::kPreempted:
      return look.Whole(c, Cause::kPreempted, EvidenceKind::kPreemption, finding);
    case TtftPhase::kTransport:
      return look.Whole(c, Cause::kTransportBackpressure, EvidenceKind::kCommittedEarly, finding);
    case TtftPhase::kSample:
      return look.Sampling(c, finding) || FindHostCause(c, finding);
    case TtftPhase::kPrefill:
      return FindPrefillCause(c, finding);
    case TtftPhase::kPrefillWait:
      return look.OtherWork(c, Cause::kChunkInterleaving, EvidenceKind::kOthersBetween, finding) ||
             FindHostCause(c, finding);
    case TtftPhase::kBacklog:
      return look.OtherWork(c, Cause::kBacklog, EvidenceKind::kOtherGpuWork, finding);
    case TtftPhase::kCommitWait:
    case TtftPhase::kSubmit:
    case TtftPhase::kSchedule:
      return FindHostCause(c, finding);
    case TtftPhase::kKvWait:
      return look.Whole(c, Cause::kQueueRemoteKv, EvidenceKind::kWaitMarks, finding);
    case TtftPhase::kQueue:  // whatever the engine says of it: a scheduler without a CPU lets nobody out
      return look.ThreadStarved(c, finding);
    case TtftPhase::kTokenize:
      return look.ThreadPaused(c, finding) || look.Whole(c, Cause::kTokenizer, EvidenceKind::kBusyTokenizer, finding);
    default:
      return false;
  }
}

// A prefill that took long: a collective; others' tokens in the same iterations; its own tokens, if they took as long
// as so many usually do; else the GPU was slow.
bool FirstTokenCauses::FindPrefillCause(const CauseCase& c, CauseFinding* finding) const {
  if (parts_.evidence.Collective(c, finding)) return true;
  uint64_t own_tokens = 0, all_tokens = 0, busy = 0, shared_iterations = 0, iter = 0;
  for (const OwnEntry& entry : c.own.entries) {
    busy += entry.iteration->busy_ns;
    all_tokens += entry.iteration->prefill_tokens;
    if (entry.iteration->prefill_rows > 1) {
      ++shared_iterations;
      iter = entry.iteration->key.iter;
    }
    parts_.batches.ForEachRow(entry.iteration->key, [&](const record::BatchRow& row) {
      if (row.req == c.req) own_tokens += row.n_tok;
    });
  }
  const uint64_t expected = parts_.rule.UsualPrefill(own_tokens);
  if (own_tokens == 0 || expected == 0) return false;
  const auto conclude = [&](uint64_t ns, Cause cause, EvidenceKind kind, uint64_t amount) {
    if (!Covers(ns, c.excess_ns)) return false;
    *finding = {.cause = cause,
                .evidence = kind,
                .confidence = ConfidenceOf(ns, c.excess_ns),
                .amount = amount,
                .evidence_ns = ns,
                .evidence_start_ns = c.pieces.start(),
                .evidence_end_ns = c.pieces.end()};
    return true;
  };
  const uint64_t others = all_tokens > own_tokens ? busy / all_tokens * (all_tokens - own_tokens) : 0;
  if (conclude(others, Cause::kChunkInterleaving, EvidenceKind::kOthersBetween, shared_iterations)) {
    finding->iter = iter;
    return true;
  }
  const uint64_t own_busy = busy - std::min(busy, others);
  const bool as_usual = own_busy <= expected + expected / 2;
  if (as_usual) return conclude(own_busy, Cause::kLongPrompt, EvidenceKind::kOwnPrompt, own_tokens);
  if (!conclude(own_busy - expected, Cause::kGpuSlow, EvidenceKind::kSlowKernels, expected)) return false;
  parts_.evidence.PreferClocks(c, finding);
  return true;
}

// The first time in [from, to] that its text was worked on; all 0: none is known.
HostWorkItem FirstTokenCauses::OwnTokenising(record::RequestId req, TimeNs from, TimeNs to) const {
  HostWorkItem own;
  parts_.host_work.ForEachIn(from, to, [&](const HostWorkItem& item) {
    if (item.kind == EvidenceKind::kBusyTokenizer && item.req == req) own = item;
  });
  return own;
}

// For how long the own tokenise thread worked on others' texts before it came to this request. What it did between two
// texts, or lost of its CPU there, is no part of it.
void FirstTokenCauses::FindBusyTokenizer(record::RequestId req, TimeNs from, TimeNs to, CauseFinding* finding) const {
  const HostWorkItem own = OwnTokenising(req, from, to);
  uint64_t longest = 0;
  parts_.host_work.ForEachIn(from, own.start, [&](const HostWorkItem& item) {
    const bool before = item.kind == EvidenceKind::kBusyTokenizer && item.thread == own.thread && item.end <= own.start;
    if (!before) return;
    const TimeNs start = std::max(item.start, from);
    finding->evidence_ns += item.end - start;
    finding->evidence_start_ns = start;
    if (item.end - start <= longest) return;
    longest = item.end - start;
    finding->req = item.req;
  });
  if (longest == 0) return;
  finding->cause = Cause::kTokenizer;
  finding->evidence = EvidenceKind::kBusyTokenizer;
  finding->thread = static_cast<record::ThreadId>(own.thread);
  finding->evidence_end_ns = own.start;
}

bool FirstTokenCauses::FindQueueReason(const record::RequestSummary& request, CauseFinding* finding) {
  static constexpr Cause kCauses[] = {Cause::kQueueOther,  Cause::kQueueKvSpace,  Cause::kQueueMaxSeqs,
                                      Cause::kQueueBudget, Cause::kQueueRemoteKv, Cause::kQueueAdapter,
                                      Cause::kQueueGrammar};
  static_assert(std::size(kCauses) == std::size(record::kWaitReasonTexts));
  const auto most = std::max_element(request.queue_by.begin(), request.queue_by.end());
  if (!Covers(*most, request.excess_ns)) return false;
  const auto reason = static_cast<size_t>(most - request.queue_by.begin());
  finding->cause = kCauses[reason];
  finding->evidence = EvidenceKind::kWaitMarks;
  // "Other" is also what nothing was said about.
  finding->confidence = reason == 0 ? Confidence::kLow : ConfidenceOf(*most, request.excess_ns);
  finding->evidence_ns = *most;
  return true;
}

void FirstTokenCauses::Finish(const TtftTail& tail, record::RequestSummary* request) const {
  parts_.rule.Judge(request);
  if (!request->is_slow) return;
  CauseFinding& finding = request->finding;
  if ((request->flags & record::kOverlapsBlind) != 0) {
    finding.evidence = EvidenceKind::kBlind;
    return;
  }
  if (request->largest_phase == TtftPhase::kHandoff && tail.handoff.cause != Cause::kUnknown) {
    finding = tail.handoff;
  } else if (request->largest_phase == tail.judged) {
    finding = tail.finding;
  }
  if (finding.cause == Cause::kUnknown || !Covers(finding.evidence_ns, request->excess_ns)) {
    TakeBackCause(finding);
    if (request->largest_phase == TtftPhase::kQueue) FindQueueReason(*request, &finding);
    return;
  }
  if (finding.confidence != Confidence::kLow)
    finding.confidence = ConfidenceOf(finding.evidence_ns, request->excess_ns);
  finding.evidence_start_ns -= std::min(finding.evidence_start_ns, request->arrival);
  finding.evidence_end_ns -= std::min(finding.evidence_end_ns, request->arrival);
}

}  // namespace slowtoken::attribution
