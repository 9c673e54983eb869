#include "attribution/metrics.h"

namespace slowtoken::attribution {

using record::Metric;

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

void Metrics::Add(const record::RequestSummary& request) {
  if (!request.has_ttft) return;
  ttft_.Add(request.ttft_ns);
  for (size_t i = 0; i < ttft_phases_.size(); ++i) ttft_phases_[i].Add(request.ttft_phases[i]);
}

void Metrics::Add(const record::GapSummary& gap) {
  itl_step_.Add(gap.gap_ns);
  if (gap.n_new > 0) itl_token_.Add(gap.gap_ns / gap.n_new, gap.n_new);
  for (size_t i = 0; i < itl_phases_.size(); ++i) itl_phases_[i].Add(gap.phases[i]);
}

void Metrics::AddLaunch(record::TimeNs api_start, record::TimeNs api_end, record::TimeNs gpu_start) {
  launch_api_.Add(api_end - api_start);
  if (gpu_start > api_end) launch_delay_.Add(gpu_start - api_end);
}

void Metrics::Emit(record::EventVisitor& out) {
  EmitOne(Metric::kTtft, 0, ttft_, out);
  for (uint8_t i = 0; i < ttft_phases_.size(); ++i) EmitOne(Metric::kTtftPhase, i, ttft_phases_[i], out);
  EmitOne(Metric::kItlStep, 0, itl_step_, out);
  EmitOne(Metric::kItlToken, 0, itl_token_, out);
  for (uint8_t i = 0; i < itl_phases_.size(); ++i) EmitOne(Metric::kItlPhase, i, itl_phases_[i], out);
  EmitOne(Metric::kLaunchDelay, 0, launch_delay_, out);
  EmitOne(Metric::kLaunchApi, 0, launch_api_, out);
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
