#include "attribution/ttft_phases.h"

namespace slowtoken::attribution {

using record::TtftPhase;

namespace {

constexpr unsigned Label(TtftPhase phase) { return static_cast<unsigned>(phase); }
// Labels beside the phases: one for each waiting reason.
constexpr unsigned kReason = 16;
constexpr unsigned kReasons = 7;
constexpr uint32_t kPhaseMask = (1u << record::kTtftPhaseCount) - 1;

TtftPhase FirstOf(uint32_t active) {
  const uint32_t phases = active & kPhaseMask;
  return phases == 0 ? TtftPhase::kUnattributed : static_cast<TtftPhase>(std::countr_zero(phases));
}

TimeNs EarlierKnown(TimeNs a, TimeNs b) { return b == 0 ? a : std::min(a, b); }

}  // namespace

bool TtftPhases::Init(RequestTable& requests, const IterationTable& iterations, const Devices& devices,
                      Partition& partition, OwnGpuTime& own_gpu_time) {
  requests_ = &requests;
  iterations_ = &iterations;
  devices_ = &devices;
  partition_ = &partition;
  own_gpu_time_ = &own_gpu_time;
  return true;
}

TimeNs TtftPhases::FirstEvent(const Request& request, RequestEventKind kind) const {
  for (PoolIndex i = request.events; i != 0; i = requests_->event(i).next) {
    if (requests_->event(i).kind == kind) return requests_->event(i).start;
  }
  return 0;
}

TtftPhases::Host TtftPhases::HostPhases(const TtftInputs& inputs) const {
  Host host;
  const Iteration* first = inputs.own.first();
  const TimeNs scheduled = FirstEvent(inputs.request, RequestEventKind::kScheduled);
  host.queue_end = scheduled;
  if (first == nullptr) return host;
  const TimeNs forward = first->forward.known() ? first->forward.start : inputs.own.first_launch;
  if (first->schedule.known()) {
    host.schedule = first->schedule;
  } else {
    host.schedule = {scheduled != 0 ? scheduled : first->iter.start, forward};
  }
  host.queue_end = host.schedule.start;
  const TimeNs submitted = inputs.own.has_gpu ? inputs.own.first_gpu : inputs.own.first_forward;
  if (host.schedule.end != 0) host.submit = {host.schedule.end, submitted};
  return host;
}

TtftTail TtftPhases::MakeTail(const TtftInputs& inputs) {
  const OwnWork& own = inputs.own;
  const Host host = HostPhases(inputs);
  TtftTail tail;
  tail.end = inputs.instant;
  tail.queue_end = host.queue_end;
  tail.split = inputs.instant;
  for (const TimeNs start : {host.schedule.start, host.submit.start, own.first_gpu, own.first_forward, own.first_launch,
                             inputs.commit, SampleOf(own).start}) {
    tail.split = EarlierKnown(tail.split, start);
  }
  own_gpu_time_->Use(own.entries);
  partition_->Begin(tail.split, inputs.instant);
  AddTailLabels(inputs, host);
  AddEventLabels(inputs.request, 0, host.queue_end);
  Accumulate(&tail);
  if (!own.has_gpu) tail.prefill_gpu_ns = tail.prefill_collective_ns = tail.prefill_idle_ns = 0;
  return tail;
}

void TtftPhases::AddTailLabels(const TtftInputs& inputs, const Host& host) {
  AddGpuLabels(inputs);
  AddBacklog(inputs);
  partition_->Add(Label(TtftPhase::kSubmit), host.submit.start, host.submit.end);
  partition_->Add(Label(TtftPhase::kSchedule), host.schedule.start, host.schedule.end);
  if (inputs.commit != 0) partition_->Add(Label(TtftPhase::kTransport), inputs.commit, inputs.instant);
}

record::TtftPhases TtftPhases::MakeWhole(const TtftInputs& inputs, TimeNs from) {
  const Host host = HostPhases(inputs);
  own_gpu_time_->Use(inputs.own.entries);
  partition_->Begin(from, inputs.instant);
  AddTailLabels(inputs, host);
  AddEventLabels(inputs.request, inputs.request.saw_req ? inputs.request.arrival : from, host.queue_end);
  TtftTail whole;
  Accumulate(&whole);
  return whole.phases;
}

Pieces TtftPhases::PiecesOf(TtftPhase phase) const {
  Pieces pieces;
  partition_->Sweep([&](uint32_t active, TimeNs start, TimeNs end) {
    if (FirstOf(active) == phase) pieces.Add(start, end);
  });
  return pieces;
}

void TtftPhases::AddGpuLabels(const TtftInputs& inputs) {
  const OwnWork& own = inputs.own;
  const Span sample = SampleOf(own);
  partition_->Add(Label(TtftPhase::kSample), sample.start, sample.end);
  if (sample.known()) partition_->Add(Label(TtftPhase::kCommitWait), sample.end, inputs.commit);
  if (!own.has_gpu) {
    const Span forward = ForwardOf(own);
    partition_->Add(Label(TtftPhase::kPrefill), forward.start, forward.end);
    return;
  }
  for (const OwnEntry& entry : own.entries) {
    partition_->Add(Label(TtftPhase::kPrefill), entry.iteration->gpu.start, entry.iteration->gpu.end);
  }
  partition_->Add(Label(TtftPhase::kPrefillWait), own.first_gpu, own.last_gpu);
}

void TtftPhases::AddBacklog(const TtftInputs& inputs) {
  const OwnWork& own = inputs.own;
  if (!own.has_gpu || own.first_launch == 0) return;
  const uint64_t devices = devices_->Widen(own.device_mask);
  iterations_->ForEachOnGpu(own.first_launch, own.first_gpu, own.first(), [&](const Iteration& other) {
    const bool is_own = std::any_of(own.entries.begin(), own.entries.end(),
                                    [&](const OwnEntry& entry) { return entry.iteration == &other; });
    if (is_own || (devices_->Widen(other.device_mask) & devices) == 0) return;
    partition_->Add(Label(TtftPhase::kBacklog), std::max(other.gpu.start, own.first_launch),
                    std::min(other.gpu.end, own.first_gpu));
  });
}

void TtftPhases::AddEventLabels(const Request& request, TimeNs arrival, TimeNs queue_end) {
  AddPreemptedTimes(*requests_, request, Label(TtftPhase::kPreempted), *partition_);
  AddWaitReasons(request);
  const TimeNs queued = FirstEvent(request, RequestEventKind::kQueued);
  TimeNs tokenize_start = 0, tokenize_end = 0;
  for (PoolIndex i = request.events; i != 0; i = requests_->event(i).next) {
    const RequestEvent& event = requests_->event(i);
    if (event.kind == RequestEventKind::kKvRecv) partition_->Add(Label(TtftPhase::kKvWait), event.start, event.end);
    if (event.kind != RequestEventKind::kTokenize) continue;
    partition_->Add(Label(TtftPhase::kTokenize), event.start, event.end);
    if (tokenize_start == 0) tokenize_start = event.start;
    tokenize_end = std::max(tokenize_end, event.end);
  }
  partition_->Add(Label(TtftPhase::kHandoff), arrival, queued != 0 ? queued : tokenize_start);
  const TimeNs queue_start = queued != 0 ? queued : (tokenize_end != 0 ? tokenize_end : arrival);
  partition_->Add(Label(TtftPhase::kQueue), queue_start, queue_end);
}

// A waiting reason holds until the next mark of the request.
void TtftPhases::AddWaitReasons(const Request& request) {
  for (PoolIndex i = request.events; i != 0; i = requests_->event(i).next) {
    const RequestEvent& waiting = requests_->event(i);
    if (waiting.kind != RequestEventKind::kWaiting) continue;
    TimeNs until = partition_->to();
    for (PoolIndex k = waiting.next; k != 0; k = requests_->event(k).next) {
      const RequestEvent& next = requests_->event(k);
      const bool is_mark = next.kind != RequestEventKind::kTokenize && next.kind != RequestEventKind::kKvRecv;
      if (!is_mark) continue;
      until = next.start;
      break;
    }
    partition_->Add(kReason + static_cast<unsigned>(waiting.reason), waiting.start, until);
    if (waiting.reason == record::WaitReason::kRemoteKv) {
      partition_->Add(Label(TtftPhase::kKvWait), waiting.start, until);
    }
  }
}

void AddPreemptedTimes(const RequestTable& requests, const Request& request, unsigned label, Partition& partition) {
  TimeNs since = 0;
  for (PoolIndex i = request.events; i != 0; i = requests.event(i).next) {
    const RequestEvent& event = requests.event(i);
    if (event.kind == RequestEventKind::kPreempted && since == 0) since = event.start;
    if (event.kind == RequestEventKind::kResumed && since != 0) {
      partition.Add(label, since, event.start);
      since = 0;
    }
  }
  if (since != 0) partition.Add(label, since, partition.to());
}

void TtftPhases::Accumulate(TtftTail* tail) {
  partition_->Sweep([&](uint32_t active, TimeNs start, TimeNs end) {
    const uint64_t ns = end - start;
    const TtftPhase phase = FirstOf(active);
    tail->phases[static_cast<size_t>(phase)] += ns;
    if (phase == TtftPhase::kQueue) {
      const uint32_t reasons = active >> kReason & ((1u << kReasons) - 1);
      tail->queue_by[reasons == 0 ? 0 : static_cast<size_t>(std::countr_zero(reasons))] += ns;
    }
    if (phase != TtftPhase::kPrefill) return;
    const GpuTotals gpu = own_gpu_time_->Between(start, end);
    tail->prefill_gpu_ns += gpu.work_ns;
    tail->prefill_collective_ns += gpu.collective_ns;
    tail->prefill_idle_ns += ns - gpu.work_ns - gpu.collective_ns;
  });
}

void TtftPhases::Finish(const Request& request, const TtftTail& tail, record::RequestSummary* out) {
  out->ttft_ns = tail.end - request.arrival;
  if (request.arrival > tail.split) {  // own work before the arrival: clocks or ids are mixed up
    out->ttft_phases = {};
    out->ttft_phases[static_cast<size_t>(TtftPhase::kUnattributed)] = out->ttft_ns;
    return;
  }
  TtftTail whole = tail;
  partition_->Begin(request.arrival, tail.split);
  AddEventLabels(request, request.arrival, tail.queue_end);
  Accumulate(&whole);
  out->ttft_phases = whole.phases;
  out->queue_by = whole.queue_by;
  out->prefill_gpu_ns = whole.prefill_gpu_ns;
  out->prefill_collective_ns = whole.prefill_collective_ns;
  out->prefill_idle_ns = whole.prefill_idle_ns;
}

}  // namespace slowtoken::attribution
