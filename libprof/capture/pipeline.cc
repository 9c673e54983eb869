#include "capture/pipeline.h"

namespace slowtoken::capture {
namespace {

// An idle process still concludes once a second, so that its watermark goes on and its open requests are seen.
constexpr base::TimeNs kIdlePeriod = 1'000'000'000;
constexpr base::TimeNs kHistogramPeriod = 10'000'000'000;

// Memory touched ahead in a round: all there is under the default cap, about 10 ms of work, or 200 ms where the system
// has no large pages to give. So it is done in steps, and left when the host waits for the end: a program that ends
// soon gets its trace.
constexpr size_t kPrefaultBytes = 64u << 20;
constexpr size_t kPrefaultStep = 1u << 20;

}  // namespace

bool Pipeline::Init(base::Arena& arena, const Config& config) {
  arena_ = &arena;
  identity_.Read(config);
  const record::Dictionary::Limits names = NameLimits();
  if (!dictionary_.Init(arena, names, losses_)) return false;
  if (!writer_.Init(arena, config,
                    {dictionary_, names, losses_, identity_.header(config), identity_.boot_id(), &Pipeline::OpenState,
                     this, engine_, batches_})) {
    return false;
  }
  attribution::EngineConfig attribution = attribution::EngineConfig::InProcess();
  attribution.slo_ttft_ns = config.slo.ttft_ns;
  attribution.slo_itl_ns = config.slo.itl_ns;
  attribution.watch_waits = true;
  if (!engine_.Init(arena, attribution, dictionary_, losses_, writer_.filter())) return false;
  if (!batches_.Init(arena)) return false;
  fanout_.Init(engine_, writer_.filter(), batches_);
  ReadClocks();
  record::SourceStatus cuda;
  cuda.detail = dictionary_.InternText("CUDA has not been initialised in this process; there is no GPU work to record");
  cuda.time = clock_.latest().monotonic;
  fanout_.On(cuda);
  return true;
}

void Pipeline::ReadClocks() {
  const record::ClockSnapshot snapshot = ClockMap::Take(cupti_now_.load(std::memory_order_acquire));
  clock_.AddSnapshot(snapshot);
  writer_.filter().On(snapshot);
}

CollectContext Pipeline::Context(base::TimeNs round_start) {
  fanout_.gate().BeginRound(round_start);
  return {dictionary_, losses_, clock_, fanout_};
}

void Pipeline::Prefault() {
  for (size_t done = 0; done < kPrefaultBytes && !ending_.load(std::memory_order_relaxed); done += kPrefaultStep) {
    if (!arena_->Prefault(kPrefaultStep)) return;
  }
}

void Pipeline::Round() {
  Prefault();
  const base::TimeNs round_start = base::MonotonicNow();
  ReadClocks();
  CollectContext context = Context(round_start);
  for (size_t i = 0; i < source_count_; ++i) {
    sources_[i]->Collect(context);
    writer_.filter().HeardUpTo(AnnotationsUpTo(round_start));
  }
  ApplyPause(context);
  writer_.filter().Settle(round_start, /*last=*/false);
  LookForTriggers(round_start);
  Govern();
  const bool idle = fanout_.events() == concluded_events_ && round_start - last_conclusion_ < kIdlePeriod;
  if (!idle) Conclude(CompleteUpTo(round_start));
}

bool Pipeline::Look() {
  bool needed = false;
  for (size_t i = 0; i < source_count_; ++i) needed = sources_[i]->Look() || needed;
  return needed;
}

uint32_t Pipeline::LookPeriodMs() const {
  uint32_t shortest = 0;
  for (size_t i = 0; i < source_count_; ++i) {
    const uint32_t period = sources_[i]->LookPeriodMs();
    if (period != 0 && (shortest == 0 || period < shortest)) shortest = period;
  }
  return shortest;
}

void Pipeline::LastRound(base::TimeNs deadline) {
  const base::TimeNs round_start = base::MonotonicNow();
  ReadClocks();
  CollectContext context = Context(round_start);
  // Sources hand out what is still open as it stands: nothing will end it any more.
  for (size_t i = 0; i < source_count_; ++i) sources_[i]->CollectLast(context, deadline);
  writer_.filter().Settle(round_start, /*last=*/true);
  Conclude(round_start);
  engine_.Finish();
  engine_.EmitHistograms();
  engine_.EmitCounters();
  TellTotals(base::MonotonicNow(), writer_.filter());
  writer_.Finish();
  writer_.Close();
}

// The blind interval begins and ends with what each source says of itself. What host threads recorded until now comes
// with the next round.
void Pipeline::ApplyPause(CollectContext& context) {
  const bool asked = pause_asked_.load(std::memory_order_acquire);
  if (asked == paused_) return;
  paused_ = asked;
  for (size_t i = 0; i < source_count_; ++i) sources_[i]->SetPaused(asked, context);
  if (asked) {
    fanout_.gate().Begin(base::MonotonicNow());
  } else {
    fanout_.gate().End(base::MonotonicNow());
  }
}

// Open `req` ranges are no events yet, but they are what waits for its first token.
void Pipeline::LookForTriggers(base::TimeNs round_start) {
  if (engine_.watch().wants_open_requests()) {
    OpenRequests open(engine_);
    for (size_t i = 0; i < source_count_; ++i) sources_[i]->ForEachOpen(open);
  }
  if (paused_) engine_.WatchBlindUntil(base::MonotonicNow());
  engine_.Watch(AnnotationsUpTo(round_start));
  writer_.Look(engine_.watch().late(), base::MonotonicNow());
}

base::TimeNs Pipeline::AnnotationsUpTo(base::TimeNs round_start) {
  base::TimeNs heard = round_start;
  for (size_t i = 0; i < source_count_; ++i) {
    const base::TimeNs mine = sources_[i]->AnnotationsUpTo(clock_, round_start);
    if (mine < heard) heard = mine;
  }
  return heard;
}

void Pipeline::Govern() {
  const record::OwnCost cost = Cost(base::MonotonicNow());
  if (writer_.Govern(cost.time, cost.own_ns())) batches_.Emit(writer_.filter());
}

base::TimeNs Pipeline::CompleteUpTo(base::TimeNs round_start) {
  base::TimeNs complete = round_start;
  for (size_t i = 0; i < source_count_; ++i) {
    const base::TimeNs mine = sources_[i]->CompleteUpTo(clock_, round_start);
    if (mine < complete) complete = mine;
  }
  return complete;
}

void Pipeline::Conclude(base::TimeNs watermark) {
  record::Advance advance;
  advance.watermark = watermark;
  advance.now = base::MonotonicNow();
  engine_.On(advance);
  if (advance.now - last_histograms_ >= kHistogramPeriod) {
    last_histograms_ = advance.now;
    engine_.EmitHistograms();
    engine_.EmitCounters();
  }
  TellTotals(advance.now, writer_.filter());
  writer_.filter().On(advance);
  writer_.EndRound(advance.now);
  concluded_events_ = fanout_.events();
  last_conclusion_ = advance.now;
  last_watermark_ = watermark;
}

void Pipeline::TellTotals(base::TimeNs now, record::EventVisitor& out) {
  record::CaptureTotals totals;
  for (size_t i = 0; i < source_count_; ++i) sources_[i]->AddTotals(totals);
  out.On(totals);
  out.On(Cost(now));
}

record::OwnCost Pipeline::Cost(base::TimeNs now) {
  record::OwnCost cost;
  cost.time = now;
  cost.worker_cpu_ns = base::ReadClock(CLOCK_THREAD_CPUTIME_ID);
  cost.memory_bytes = arena_->used();
  cost.bytes_written = writer_.bytes_written();
  for (size_t i = 0; i < source_count_; ++i) sources_[i]->AddCost(cost);
  return cost;
}

void Pipeline::TellPresent(record::EventVisitor& out, bool histograms) {
  record::Advance advance;
  advance.now = base::MonotonicNow();
  advance.watermark = last_watermark_;
  writer_.TellState(out);
  record::LossTotals losses;
  for (size_t i = 0; i < base::kLossCount; ++i) losses.counts[i] = losses_.Get(static_cast<base::Loss>(i));
  out.On(losses);
  TellTotals(advance.now, out);
  engine_.EmitCounters(out);
  if (histograms) engine_.EmitHistograms(out);
  out.On(advance);
}

void Pipeline::OpenState(void* self, record::EventVisitor& out) {
  auto* pipeline = static_cast<Pipeline*>(self);
  for (size_t i = 0; i < pipeline->source_count_; ++i) pipeline->sources_[i]->ForEachOpen(out);
  pipeline->batches_.Emit(out);
}

void Pipeline::ForgetInChild() {
  for (size_t i = 0; i < source_count_; ++i) sources_[i]->ForgetInChild();
  writer_.Close();
}

}  // namespace slowtoken::capture
