#include "attribution/gap_phases.h"

#include "attribution/ttft_phases.h"

namespace slowtoken::attribution {

using record::GapPhase;

namespace {

constexpr unsigned Label(GapPhase phase) { return static_cast<unsigned>(phase); }

// The first active label but those of own GPU work.
GapPhase FirstOf(uint32_t active) {
  return active == 0 ? GapPhase::kUnattributed : static_cast<GapPhase>(std::countr_zero(active));
}

// Own GPU work that runs at the same time is the phase then.
constexpr bool YieldsToGpuWork(GapPhase phase) { return Label(phase) >= Label(GapPhase::kCollective); }

GapPhase PhaseOf(GpuUse use, GapPhase otherwise) {
  if (use == GpuUse::kIdle) return otherwise;
  return use == GpuUse::kWork ? GapPhase::kGpuBusy : GapPhase::kCollective;
}

// The host work that is a phase of its own.
GapPhase PhaseOf(record::EvidenceKind kind) {
  switch (kind) {
    case record::EvidenceKind::kKvWork:
      return GapPhase::kKv;
    case record::EvidenceKind::kJit:
      return GapPhase::kJit;
    case record::EvidenceKind::kGc:
      return GapPhase::kGc;
    default:
      return GapPhase::kUnattributed;
  }
}

bool IsPrefill(record::RowKind kind) {
  return kind == record::RowKind::kPrefill || kind == record::RowKind::kChunk || kind == record::RowKind::kRecompute;
}

// What an iteration's batch means for a request: whether it is in it, and whether it prefills anybody.
struct Company {
  bool known = true;
  bool has_request = false;
  bool prefills = false;
};

Company CompanyIn(const BatchTracker& batches, const Iteration& iteration, record::RequestId request) {
  Company company;
  if ((iteration.flags & record::kFlagDummy) != 0) return company;
  company.known = batches.Known(iteration.key) == BatchTracker::Knowledge::kKnown;
  // Most often it is not in it, and who was in it need not be gone through again.
  const bool counted = iteration.sealed && iteration.batch_known;
  if (counted && (iteration.members & MemberBit(request)) == 0) {
    company.prefills = iteration.prefill_rows != 0;
    return company;
  }
  batches.ForEachRow(iteration.key, [&](const record::BatchRow& row) {
    company.has_request = company.has_request || row.req == request;
    company.prefills = company.prefills || IsPrefill(row.kind);
  });
  return company;
}

}  // namespace

void GapPhases::Make(const GapInputs& inputs, record::GapSummary* out) {
  Partition& partition = parts_.partition;
  parts_.own_gpu_time.Use(inputs.own.entries);
  partition.Begin(inputs.start, inputs.instant);
  AddPreemptedTimes(parts_.requests, inputs.request, Label(GapPhase::kPreempted), partition);
  if (inputs.commit != 0) partition.Add(Label(GapPhase::kTransport), inputs.commit, inputs.instant);
  AddOwnLabels(inputs);
  AddHostLabels(inputs);
  AddHostWork(inputs.own);
  AddOtherLabels(inputs);
  SumUp(out);
  out->start = inputs.start;
  out->gap_ns = inputs.instant - inputs.start;
  EstimateInterference(inputs.own, out);
}

void GapPhases::SumUp(record::GapSummary* out) const {
  out->phases = {};
  parts_.partition.Sweep([&](uint32_t active, TimeNs start, TimeNs end) {
    const GapPhase first = FirstOf(active);
    const GpuTotals gpu = YieldsToGpuWork(first) ? parts_.own_gpu_time.Between(start, end) : GpuTotals{};
    out->phases[Label(GapPhase::kGpuBusy)] += gpu.work_ns;
    out->phases[Label(GapPhase::kCollective)] += gpu.collective_ns;
    out->phases[Label(first)] += end - start - gpu.work_ns - gpu.collective_ns;
  });
}

Pieces GapPhases::PiecesOf(GapPhase phase) const {
  Pieces pieces;
  parts_.partition.Sweep([&](uint32_t active, TimeNs start, TimeNs end) {
    const GapPhase first = FirstOf(active);
    if (!YieldsToGpuWork(first)) {
      if (first == phase) pieces.Add(start, end);
      return;
    }
    parts_.own_gpu_time.ForEach(start, end, [&](GpuUse use, TimeNs from, TimeNs to) {
      if (PhaseOf(use, first) == phase) pieces.Add(from, to);
    });
  });
  return pieces;
}

void GapPhases::AddOwnLabels(const GapInputs& inputs) {
  Partition& partition = parts_.partition;
  const OwnWork& own = inputs.own;
  const Span sample = SampleOf(own);
  partition.Add(Label(GapPhase::kSample), sample.start, sample.end);
  if (sample.known()) partition.Add(Label(GapPhase::kCommitWait), sample.end, inputs.commit);
  if (!own.has_gpu) {
    const Span forward = ForwardOf(own);
    partition.Add(Label(GapPhase::kGpuBusy), forward.start, forward.end);
    return;
  }
  for (const OwnEntry& entry : own.entries) {
    partition.Add(Label(GapPhase::kGpuIdle), entry.iteration->gpu.start, entry.iteration->gpu.end);
  }
}

// `schedule` and `submit` of each own iteration in turn.
void GapPhases::AddHostLabels(const GapInputs& inputs) {
  TimeNs since = std::max(inputs.previous_commit, inputs.previous_gpu_end);
  for (const OwnEntry& entry : inputs.own.entries) {
    const Iteration& iteration = *entry.iteration;
    TimeNs scheduled = iteration.schedule.end;
    if (scheduled == 0) scheduled = iteration.forward.known() ? iteration.forward.start : iteration.first_launch;
    const TimeNs submitted = inputs.own.has_gpu ? iteration.gpu.start : iteration.forward.start;
    if (scheduled != 0) {
      parts_.partition.Add(Label(GapPhase::kSchedule), since, scheduled);
      parts_.partition.Add(Label(GapPhase::kSubmit), scheduled, submitted);
    }
    since = std::max(since, iteration.gpu.end);
  }
}

void GapPhases::AddHostWork(const OwnWork& own) {
  parts_.host_work.ForEachIn(parts_.partition.from(), parts_.partition.to(), [&](const HostWorkItem& item) {
    const GapPhase phase = PhaseOf(item.kind);
    if (phase == GapPhase::kUnattributed) return;
    for (const OwnEntry& entry : own.entries) {
      if (item.thread == entry.iteration->schedule_thread || item.thread == entry.iteration->launch_thread) {
        parts_.partition.Add(Label(phase), item.start, item.end);
        return;
      }
    }
  });
}

void GapPhases::AddOtherLabels(const GapInputs& inputs) {
  const OwnWork& own = inputs.own;
  if (!own.has_gpu) return;
  const uint64_t devices = parts_.devices.Widen(own.device_mask);
  parts_.iterations.ForEachOnGpu(inputs.start, inputs.instant, own.last(), [&](const Iteration& other) {
    if ((parts_.devices.Widen(other.device_mask) & devices) == 0) return;
    for (const OwnEntry& entry : own.entries) {
      if (entry.iteration == &other) return;
    }
    const TimeNs in_front = std::max(other.gpu.start, own.first_launch);  // from when on, if it was
    const bool may_be_in_front = own.first_launch != 0 && in_front < other.gpu.end;
    if (!may_be_in_front && other.batch_known && other.prefill_rows == 0) return;
    const Company company = CompanyIn(parts_.batches, other, inputs.request.id);
    if (!company.known || company.has_request) return;  // where the batch is unknown it may be in it
    if (company.prefills) {
      parts_.partition.Add(Label(GapPhase::kPrefillInterference), other.gpu.start, other.gpu.end);
    }
    if (may_be_in_front) parts_.partition.Add(Label(GapPhase::kBacklog), in_front, other.gpu.end);
  });
}

void GapPhases::EstimateInterference(const OwnWork& own, record::GapSummary* out) const {
  for (const OwnEntry& entry : own.entries) {
    const Iteration& iteration = *entry.iteration;
    const uint32_t own_prefills = IsPrefill(entry.kind) ? 1 : 0;
    if (iteration.prefill_rows <= own_prefills || !iteration.has_gpu()) continue;
    const RunningMedian& median = parts_.habits.decode_busy(iteration.decode_rows);
    if (median.samples() == 0) continue;
    out->has_interference = true;
    out->median_used_ns = median.value();
    if (iteration.busy_ns > median.value()) out->interference_est_ns += iteration.busy_ns - median.value();
  }
}

}  // namespace slowtoken::attribution
