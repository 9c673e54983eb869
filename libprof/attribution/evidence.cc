#include "attribution/evidence.h"

#include <algorithm>

namespace slowtoken::attribution {

using record::Cause;
using record::CauseFinding;
using record::Confidence;
using record::EvidenceKind;

namespace {

bool IsPrefill(record::RowKind kind) {
  return kind == record::RowKind::kPrefill || kind == record::RowKind::kChunk || kind == record::RowKind::kRecompute;
}

record::ThreadId ThreadOf(uint64_t thread_key) { return static_cast<record::ThreadId>(thread_key); }

}  // namespace

bool EvidenceFinder::Conclude(const CauseCase& c, const Found& found, Cause cause, EvidenceKind kind,
                              CauseFinding* finding) {
  if (found.ns == 0 || found.ns < c.excess_ns - c.excess_ns / 2) return false;
  finding->cause = cause;
  finding->evidence = kind;
  finding->confidence = found.ns >= c.excess_ns - c.excess_ns / 5 ? Confidence::kHigh : Confidence::kLow;
  finding->evidence_ns = found.ns;
  finding->evidence_start_ns = found.start;
  finding->evidence_end_ns = found.end;
  return true;
}

bool EvidenceFinder::IsOwnThread(const OwnWork& own, uint64_t thread) {
  for (const OwnEntry& entry : own.entries) {
    const Iteration& iteration = *entry.iteration;
    if (thread == iteration.schedule_thread || thread == iteration.launch_thread || thread == iteration.sample_thread) {
      return true;
    }
  }
  return false;
}

bool EvidenceFinder::Event(const CauseCase& c, Cause cause, EvidenceKind kind, CauseFinding* finding) const {
  Coverage coverage(c.pieces);
  uint64_t longest = 0;
  parts_.host_work.ForEachIn(c.pieces.start(), c.pieces.end(), [&](const HostWorkItem& item) {
    if (item.kind != kind || !(item.thread == c.thread || IsOwnThread(c.own, item.thread))) return;
    coverage.Add(item.start, item.end);
    const uint64_t shared = c.pieces.Shared(item.start, item.end);
    if (shared != 0) finding->amount += item.calls;
    if (shared <= longest) return;
    longest = shared;
    finding->thread = ThreadOf(item.thread);
    finding->req = item.req;
  });
  if (Conclude(c, Of(coverage), cause, kind, finding)) return true;
  *finding = {};
  return false;
}

bool EvidenceFinder::AnyEvent(const CauseCase& c, std::span<const Suspect> suspects, CauseFinding* finding) const {
  const auto bit = [](EvidenceKind kind) { return uint64_t{1} << static_cast<unsigned>(kind); };
  uint64_t seen = 0;
  parts_.host_work.ForEachIn(c.pieces.start(), c.pieces.end(),
                             [&](const HostWorkItem& item) { seen |= bit(item.kind); });
  return std::any_of(suspects.begin(), suspects.end(), [&](const Suspect& suspect) {
    return (seen & bit(suspect.kind)) != 0 && Event(c, suspect.cause, suspect.kind, finding);
  });
}

bool EvidenceFinder::GraphMiss(const CauseCase& c, CauseFinding* finding) const {
  Coverage coverage(c.pieces);
  EvidenceKind kind = EvidenceKind::kNone;
  uint64_t longest = 0;
  const auto add = [&](TimeNs start, TimeNs end, EvidenceKind what) {
    coverage.Add(start, end);
    const uint64_t shared = c.pieces.Shared(start, end);
    if (shared <= longest) return false;
    longest = shared;
    kind = what;
    return true;
  };
  for (const OwnEntry& entry : c.own.entries) {
    const Iteration& iteration = *entry.iteration;
    const bool decodes = iteration.decode_rows > 0 && iteration.prefill_rows == 0;
    if (!decodes || iteration.graph_launches != 0 || iteration.launches == 0) continue;
    if (!parts_.habits.ReplaysGraphs(iteration.decode_rows)) continue;
    const TimeNs begun =
        iteration.forward.known() ? std::min(iteration.forward.start, iteration.first_launch) : iteration.first_launch;
    if (add(begun, std::max(iteration.gpu.end, iteration.forward.end), EvidenceKind::kEagerLaunch)) {
      *finding = {.iter = iteration.key.iter, .amount = iteration.launches};
    }
  }
  parts_.host_work.ForEachIn(c.pieces.start(), c.pieces.end(), [&](const HostWorkItem& item) {
    const bool builds = item.kind == EvidenceKind::kJit || item.kind == EvidenceKind::kGraphBuild ||
                        item.kind == EvidenceKind::kModuleLoad;
    if (!builds || !IsOwnThread(c.own, item.thread)) return;
    if (add(item.start, item.end, item.kind)) *finding = {.thread = ThreadOf(item.thread), .amount = item.calls};
  });
  if (Conclude(c, Of(coverage), Cause::kGraphMiss, kind, finding)) return true;
  *finding = {};
  return false;
}

bool EvidenceFinder::Whole(const CauseCase& c, Cause cause, EvidenceKind kind, CauseFinding* finding) const {
  Coverage coverage(c.pieces);
  coverage.Add(c.pieces.start(), c.pieces.end());
  return Conclude(c, Of(coverage), cause, kind, finding);
}

bool EvidenceFinder::Recompute(const CauseCase& c, CauseFinding* finding) const {
  Coverage coverage(c.pieces);
  uint64_t tokens = 0;
  for (const OwnEntry& entry : c.own.entries) {
    if (entry.kind != record::RowKind::kRecompute) continue;
    coverage.Add(entry.iteration->gpu.start, entry.iteration->gpu.end);
    parts_.batches.ForEachRow(entry.iteration->key, [&](const record::BatchRow& row) {
      if (row.req == c.req) tokens += row.n_tok;
    });
  }
  if (!Conclude(c, Of(coverage), Cause::kPreempted, EvidenceKind::kPreemption, finding)) return false;
  finding->amount = tokens;
  return true;
}

bool EvidenceFinder::Collective(const CauseCase& c, CauseFinding* finding) const {
  Coverage coverage(c.pieces);
  uint64_t longest = 0, iter = 0;
  for (const OwnEntry& entry : c.own.entries) {
    parts_.intervals.ForEach(entry.iteration->collectives, [&](Interval i) { coverage.Add(i.start, i.end); });
    if (entry.iteration->collective_ns <= longest) continue;
    longest = entry.iteration->collective_ns;
    iter = entry.iteration->key.iter;
  }
  if (!Conclude(c, Of(coverage), Cause::kCollectiveWait, EvidenceKind::kCollective, finding)) return false;
  finding->iter = iter;
  return true;
}

template <typename Visit>
void EvidenceFinder::ForEachOther(const CauseCase& c, Visit visit) const {
  const uint64_t devices = parts_.devices.Widen(c.own.device_mask);
  parts_.iterations.ForEachOnGpu(c.pieces.start(), c.pieces.end(), c.own.last(), [&](const Iteration& other) {
    if ((parts_.devices.Widen(other.device_mask) & devices) == 0) return;
    for (const OwnEntry& entry : c.own.entries) {
      if (entry.iteration == &other) return;
    }
    visit(other);
  });
}

record::RequestId EvidenceFinder::LargestPrefill(const Iteration& iteration, record::RequestId besides) const {
  record::RequestId largest = 0;
  uint32_t most = 0;
  parts_.batches.ForEachRow(iteration.key, [&](const record::BatchRow& row) {
    if (row.req == besides || !IsPrefill(row.kind) || row.n_tok < most) return;
    most = row.n_tok;
    largest = row.req;
  });
  return largest;
}

bool EvidenceFinder::OtherPrefill(const CauseCase& c, CauseFinding* finding) const {
  Found found;
  uint64_t longest = 0;
  const auto add = [&](const Iteration& iteration, uint64_t ns) {
    if (ns == 0) return;
    found.ns += ns;
    found.start = found.start == 0 ? iteration.gpu.start : std::min(found.start, iteration.gpu.start);
    found.end = std::max(found.end, iteration.gpu.end);
    if (ns <= longest) return;
    longest = ns;
    finding->iter = iteration.key.iter;
    finding->req = LargestPrefill(iteration, c.req);
    finding->amount = iteration.prefill_tokens;
  };
  ForEachOther(c, [&](const Iteration& other) {
    if (other.prefill_rows != 0 && (other.flags & record::kFlagDummy) == 0)
      add(other, c.pieces.Shared(other.gpu.start, other.gpu.end));
  });
  for (const OwnEntry& entry : c.own.entries) {
    const Iteration& iteration = *entry.iteration;
    const uint32_t own_prefills = IsPrefill(entry.kind) ? 1 : 0;
    const RunningMedian& usual = parts_.habits.decode_busy(iteration.decode_rows);
    if (iteration.prefill_rows <= own_prefills || usual.samples() == 0 || iteration.busy_ns <= usual.value()) continue;
    add(iteration,
        std::min(iteration.busy_ns - usual.value(), c.pieces.Shared(iteration.gpu.start, iteration.gpu.end)));
  }
  found.start = std::max(found.start, c.pieces.start());
  found.end = std::min(found.end, c.pieces.end());
  if (Conclude(c, found, Cause::kPrefillInterference, EvidenceKind::kOtherPrefill, finding)) return true;
  *finding = {};
  return false;
}

bool EvidenceFinder::OtherWork(const CauseCase& c, Cause cause, EvidenceKind kind, CauseFinding* finding) const {
  Coverage coverage(c.pieces);
  uint64_t count = 0, longest = 0, iter = 0;
  ForEachOther(c, [&](const Iteration& other) {
    const uint64_t shared = c.pieces.Shared(other.gpu.start, other.gpu.end);
    if (shared == 0) return;
    coverage.Add(other.gpu.start, other.gpu.end);
    ++count;
    if (shared <= longest) return;
    longest = shared;
    iter = other.key.iter;
  });
  if (!Conclude(c, Of(coverage), cause, kind, finding)) return false;
  finding->iter = iter;
  finding->amount = count;
  return true;
}

bool EvidenceFinder::Sampling(const CauseCase& c, CauseFinding* finding) const {
  const Iteration* yield = c.own.yield;
  if (yield == nullptr) return false;
  Coverage work(c.pieces);
  if (yield->sampling.known()) work.Add(yield->sampling.start, yield->sampling.end);
  const ThreadActivity::Answer answer = parts_.activity.Over(c.thread, c.pieces);
  if (answer.known && answer.exact) {
    Coverage off(c.pieces);
    parts_.activity.ForEachOff(c.thread, c.pieces.start(), c.pieces.end(),
                               [&](TimeNs start, TimeNs end, bool) { off.Add(start, end); });
    off.ForEachRest([&](TimeNs start, TimeNs end) { work.Add(start, end); });
  } else {
    work.Add(c.pieces.start(), c.pieces.end());
  }
  if (!Conclude(c, Of(work), Cause::kSampling, EvidenceKind::kSampleWork, finding)) return false;
  finding->iter = yield->key.iter;
  finding->thread = ThreadOf(c.thread);
  if (!answer.known || !answer.exact) finding->confidence = Confidence::kLow;
  return true;
}

bool EvidenceFinder::SlowKernels(const CauseCase& c, CauseFinding* finding) const {
  Found found;
  uint64_t longest = 0, iter = 0, usual = 0;
  for (const OwnEntry& entry : c.own.entries) {
    const Iteration& iteration = *entry.iteration;
    const uint64_t slower =
        std::min(parts_.habits.SlowerBy(iteration), c.pieces.Shared(iteration.gpu.start, iteration.gpu.end));
    if (slower == 0) continue;
    found.ns += slower;
    found.start = found.start == 0 ? iteration.gpu.start : found.start;
    found.end = iteration.gpu.end;
    if (slower <= longest) continue;
    longest = slower;
    iter = iteration.key.iter;
    usual = parts_.habits.decode_busy(iteration.decode_rows).value();
  }
  if (!Conclude(c, found, Cause::kGpuSlow, EvidenceKind::kSlowKernels, finding)) return false;
  finding->iter = iter;
  finding->amount = usual;
  PreferClocks(c, finding);
  return true;
}

void EvidenceFinder::PreferClocks(const CauseCase& c, CauseFinding* finding) const {
  const uint64_t reasons = parts_.throttles.Over(parts_.devices.Widen(c.own.device_mask), finding->evidence_start_ns,
                                                 finding->evidence_end_ns);
  if (reasons == 0) return;
  finding->evidence = EvidenceKind::kClocks;
  finding->amount = reasons;
}

bool EvidenceFinder::PreferThrottled(const ThreadActivity::Taken& taken, const Found& found, CauseFinding* finding) {
  if (taken.throttled_ns < found.ns / 2) return false;
  finding->evidence = EvidenceKind::kThrottled;
  finding->amount = taken.throttled_ns;
  return true;
}

bool EvidenceFinder::ThreadPaused(const CauseCase& c, CauseFinding* finding) const {
  if (c.thread == 0) return false;
  const ThreadActivity::Answer answer = parts_.activity.Over(c.thread, c.pieces);
  if (!answer.known) return false;
  const Found found{answer.off_ns, answer.off_start != 0 ? answer.off_start : c.pieces.start(),
                    answer.off_end != 0 ? answer.off_end : c.pieces.end()};
  if (!Conclude(c, found, Cause::kHostPaused, EvidenceKind::kThreadBlocked, finding)) return false;
  finding->thread = ThreadOf(c.thread);
  if (!answer.exact) finding->confidence = Confidence::kLow;
  const ThreadActivity::Taken taken = TakenFrom(c, found);
  if (PreferThrottled(taken, found, finding)) return true;
  if (answer.waited_ns >= found.ns / 2) {
    finding->evidence = EvidenceKind::kThreadWaited;
    finding->amount = answer.waited_ns;
  } else if (taken.major_faults != 0) {
    finding->evidence = EvidenceKind::kPageFaults;
    finding->amount = taken.major_faults;
  } else {
    finding->amount = answer.off_ns - answer.waited_ns;
  }
  return true;
}

bool EvidenceFinder::ThreadRan(const CauseCase& c, CauseFinding* finding) const {
  if (c.thread == 0) return false;
  const ThreadActivity::Answer answer = parts_.activity.Over(c.thread, c.pieces);
  if (!answer.known) return false;
  const uint64_t whole = c.pieces.length();
  const Found found{whole - std::min(whole, answer.off_ns), c.pieces.start(), c.pieces.end()};
  if (!Conclude(c, found, Cause::kSchedulerDelay, EvidenceKind::kThreadRan, finding)) return false;
  finding->thread = ThreadOf(c.thread);
  if (!answer.exact) finding->confidence = Confidence::kLow;
  return true;
}

bool EvidenceFinder::ThreadStarved(const CauseCase& c, CauseFinding* finding) const {
  if (c.thread == 0) return false;
  const ThreadActivity::Answer answer = parts_.activity.Over(c.thread, c.pieces);
  const Found found{answer.waited_ns, c.pieces.start(), c.pieces.end()};
  if (!answer.known || !Conclude(c, found, Cause::kHostPaused, EvidenceKind::kThreadWaited, finding)) return false;
  finding->thread = ThreadOf(c.thread);
  finding->amount = answer.waited_ns;
  if (!answer.exact) finding->confidence = Confidence::kLow;
  PreferThrottled(TakenFrom(c, found), found, finding);
  return true;
}

void EvidenceFinder::DescribeThread(const CauseCase& c, CauseFinding* finding) const {
  if (c.thread == 0) return;
  const ThreadActivity::Answer answer = parts_.activity.Over(c.thread, c.pieces);
  if (!answer.known) return;
  const uint64_t whole = c.pieces.length(), off = std::min(answer.off_ns, whole);
  finding->acting_thread = ThreadOf(c.thread);
  finding->acting_ran_ns = whole - off;
  finding->acting_waited_ns = std::min(answer.waited_ns, off);
  finding->acting_blocked_ns = off - finding->acting_waited_ns;
  finding->acting_migrations = answer.migrations;
}

}  // namespace slowtoken::attribution
