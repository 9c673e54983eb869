#include "attribution/metrics.h"

#include <algorithm>

namespace slowtoken::attribution {

using record::Counter;
using record::IterationKind;
using record::Metric;
using record::TokenKind;

namespace {

template <size_t N>
bool Any(const std::array<uint64_t, N>& values) {
  return std::any_of(values.begin(), values.end(), [](uint64_t value) { return value != 0; });
}

void EmitAll(Counter counter, std::span<const uint64_t> values, record::EventVisitor& out) {
  for (uint32_t label = 0; label < values.size(); ++label) {
    out.On(record::CounterSnapshot{.value = values[label], .label = label, .counter = counter});
  }
}

}  // namespace

bool Metrics::Init(base::Arena& arena) {
  buckets_ = arena.AllocateArray<record::HistogramBucket>(kHistogramBuckets);
  bool ok = !buckets_.empty();
  for (Histogram* histogram : {&ttft_, &itl_step_, &itl_token_, &launch_delay_, &launch_api_}) {
    ok = ok && histogram->Init(arena);
  }
  for (Histogram& histogram : ttft_phases_) ok = ok && histogram.Init(arena);
  for (Histogram& histogram : itl_phases_) ok = ok && histogram.Init(arena);
  return ok;
}

// A process that only computes for a request, and sees neither its arrival nor its end, does not count it.
void Metrics::Add(const record::RequestSummary& request) {
  if ((request.flags & (record::kSawArrival | record::kSawFinish)) != 0) {
    ++requests_[static_cast<size_t>(request.finish) % requests_.size()];
    tokens_[static_cast<size_t>(TokenKind::kPrompt)] += request.prompt;
    tokens_[static_cast<size_t>(TokenKind::kCached)] += request.cached;
  }
  if (!request.has_ttft) return;
  if (request.is_slow) ++slow_first_tokens_[static_cast<size_t>(request.finding.cause) % record::kCauseCount];
  ttft_.Add(request.ttft_ns);
  for (size_t i = 0; i < ttft_phases_.size(); ++i) ttft_phases_[i].Add(request.ttft_phases[i]);
}

void Metrics::Add(const record::GapSummary& gap) {
  if (gap.is_stall) ++stalls_[static_cast<size_t>(gap.finding.cause) % record::kStallCauseCount];
  itl_step_.Add(gap.gap_ns);
  if (gap.n_new > 0) itl_token_.Add(gap.gap_ns / gap.n_new, gap.n_new);
  for (size_t i = 0; i < itl_phases_.size(); ++i) itl_phases_[i].Add(gap.phases[i]);
}

void Metrics::Add(const record::IterationSummary& iteration) {
  const auto count = [this](IterationKind kind) { ++iterations_[static_cast<size_t>(kind)]; };
  if (iteration.dummy) return count(IterationKind::kDummy);
  count(iteration.piecewise ? IterationKind::kPiecewise
        : iteration.graph   ? IterationKind::kGraph
                            : IterationKind::kEager);
  if (iteration.prefill_rows != 0 && iteration.decode_rows != 0) count(IterationKind::kMixed);
}

void Metrics::AddLaunch(record::TimeNs api_start, record::TimeNs api_end, record::TimeNs gpu_start) {
  launch_api_.Add(api_end - api_start);
  if (gpu_start > api_end) launch_delay_.Add(gpu_start - api_end);
}

void Metrics::Emit(record::EventVisitor& out) {
  EmitOne(Metric::kTtft, 0, ttft_, out);
  for (size_t i = 0; i < ttft_phases_.size(); ++i) {
    EmitOne(Metric::kTtftPhase, static_cast<uint8_t>(i), ttft_phases_[i], out);
  }
  EmitOne(Metric::kItlStep, 0, itl_step_, out);
  EmitOne(Metric::kItlToken, 0, itl_token_, out);
  for (size_t i = 0; i < itl_phases_.size(); ++i) {
    EmitOne(Metric::kItlPhase, static_cast<uint8_t>(i), itl_phases_[i], out);
  }
  EmitOne(Metric::kLaunchDelay, 0, launch_delay_, out);
  EmitOne(Metric::kLaunchApi, 0, launch_api_, out);
}

void Metrics::EmitCounters(record::EventVisitor& out) const {
  // A process of which nothing of the kind was ever seen does not serve requests, run iterations or launch: it has no
  // such counter, rather than one that stays 0.
  const bool serves = Any(requests_) || Any(tokens_);
  if (serves) EmitAll(Counter::kRequests, requests_, out);
  if (serves) EmitAll(Counter::kTokens, tokens_, out);
  if (Any(iterations_)) EmitAll(Counter::kIterations, iterations_, out);
  if (itl_step_.count() != 0) EmitAll(Counter::kStalls, stalls_, out);
  if (ttft_.count() != 0) EmitAll(Counter::kSlowFirstTokens, slow_first_tokens_, out);
  const uint64_t delayed = launch_delay_.count();
  if (launch_api_.count() != 0) EmitAll(Counter::kLaunchesDelayed, {&delayed, 1}, out);
}

void Metrics::EmitOne(Metric metric, uint8_t label, const Histogram& histogram, record::EventVisitor& out) {
  if (histogram.count() == 0) return;
  size_t used = 0;
  for (uint32_t i = 0; i < kHistogramBuckets; ++i) {
    if (histogram.counts()[i] != 0) buckets_[used++] = {.index = i, .count = histogram.counts()[i]};
  }
  record::HistogramSnapshot snapshot;
  snapshot.metric = metric;
  snapshot.label = label;
  snapshot.count = histogram.count();
  snapshot.sum_ns = histogram.sum();
  snapshot.max_ns = histogram.max();
  snapshot.buckets = buckets_.first(used);
  out.On(snapshot);
}

}  // namespace slowtoken::attribution
