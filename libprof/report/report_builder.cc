#include "report/report_builder.h"

#include <algorithm>

#include "analysis/interval.h"
#include "report/findings.h"
#include "report/told.h"

namespace slowtoken::report {

using analysis::SaturatingAdd;

v1::Distribution ToDistribution(const analysis::Summary& summary) {
  v1::Distribution out;
  out.set_count(summary.count);
  out.set_mean_ns(summary.mean_ns);
  out.set_p50_ns(summary.p50_ns);
  out.set_p90_ns(summary.p90_ns);
  out.set_p99_ns(summary.p99_ns);
  out.set_max_ns(summary.max_ns);
  return out;
}

v1::Distribution ToDistribution(const analysis::LogHistogram& histogram) {
  return ToDistribution(analysis::Summary{.count = histogram.count(),
                                          .mean_ns = histogram.mean(),
                                          .p50_ns = histogram.Quantile(0.5),
                                          .p90_ns = histogram.Quantile(0.9),
                                          .p99_ns = histogram.Quantile(0.99),
                                          .max_ns = histogram.max()});
}

void ReportBuilder::On(const record::RequestSummary& summary) {
  Request& request = requests_[summary.req];
  const bool again = request.summarised;
  request.summarised = true;
  request.arrival = summary.arrival;
  request.end = std::max(summary.end, summary.arrival);
  v1::RequestReport& report = request.report;
  report.set_req(summary.req);
  report.set_e2e_ns(request.end - request.arrival);
  report.set_prompt(summary.prompt);
  report.set_cached(summary.cached);
  report.set_tokens(summary.tokens);
  report.set_gpu_share_ns(summary.gpu_share_ns);
  report.set_saw_gpu((summary.flags & record::kSawGpu) != 0);
  report.set_partial((summary.flags & record::kPartial) != 0);
  report.set_overlaps_blind((summary.flags & record::kOverlapsBlind) != 0);
  report.set_finish(static_cast<uint32_t>(summary.finish));
  report.set_ended((summary.flags & record::kSawFinish) != 0);
  report.set_preemptions(summary.preemptions);
  if (!summary.has_ttft || again) return;
  report.set_ttft_ns(summary.ttft_ns);
  report.mutable_ttft_phases_ns()->Add(summary.ttft_phases.begin(), summary.ttft_phases.end());
  report.mutable_queue_by_ns()->Add(summary.queue_by.begin(), summary.queue_by.end());
  report.set_prefill_gpu_ns(summary.prefill_gpu_ns);
  report.set_prefill_collective_ns(summary.prefill_collective_ns);
  report.set_prefill_idle_ns(summary.prefill_idle_ns);
  const uint32_t told = ToldPhases(summary.ttft_phases, summary.flags);
  report.set_ttft_told(told);
  if (options_.slo_ttft_ns != 0 && summary.ttft_ns > options_.slo_ttft_ns) ++ttft_over_level_;
  if (summary.is_slow) {
    report.set_slow_excess_ns(summary.excess_ns);
    report.set_largest_phase(static_cast<uint32_t>(summary.largest_phase));
    *report.mutable_finding() = ToFinding(summary.finding);
    report.set_few_samples((summary.flags & record::kFewSamples) != 0);
  }
  ttft_.Add(summary.ttft_ns);
  ttft_told_ |= told;
  ttft_sum_ = SaturatingAdd(ttft_sum_, summary.ttft_ns);
  for (size_t i = 0; i < ttft_phases_.size(); ++i) ttft_phases_[i].Add(summary.ttft_phases[i]);
  for (size_t i = 0; i < queue_by_sum_.size(); ++i)
    queue_by_sum_[i] = SaturatingAdd(queue_by_sum_[i], summary.queue_by[i]);
}

void ReportBuilder::On(const record::GapSummary& gap) {
  const uint64_t tokens = std::max<uint32_t>(gap.n_new, 1);
  step_.Add(gap.gap_ns);
  token_.Add(gap.gap_ns / tokens, tokens, gap.gap_ns);
  gap_sum_ = SaturatingAdd(gap_sum_, gap.gap_ns);
  gap_told_ |= ToldPhases(gap.phases, gap.flags, options_.graph_launch_level);
  for (size_t i = 0; i < gap_phases_.size(); ++i) gap_phases_[i].Add(gap.phases[i]);
  if (gap.has_interference) {
    interference_.Add(gap.interference_est_ns);
    interference_of_ns_ = SaturatingAdd(interference_of_ns_, gap.gap_ns);
  }
  if (gap.is_stall) {
    OpenStall& stall = stalls_.emplace_back();
    stall.start = gap.start;
    stall.stall.set_req(gap.req);
    stall.stall.set_n(gap.n);
    stall.stall.set_gap_ns(gap.gap_ns);
    stall.stall.set_excess_ns(gap.excess_ns);
    stall.stall.set_largest_phase(static_cast<uint32_t>(gap.largest_phase));
    stall.stall.set_overlaps_blind((gap.flags & record::kOverlapsBlind) != 0);
    stall.stall.set_process(gap.process);
    stall.stall.set_few_samples((gap.flags & record::kFewSamples) != 0);
    *stall.stall.mutable_finding() = ToFinding(gap.finding);
  }
  if (options_.gaps ? Wanted(gap.req) : options_.only.has_value() && Wanted(gap.req)) AddGap(gap);
}

void ReportBuilder::AddGap(const record::GapSummary& gap) {
  v1::Gap& out = *requests_[gap.req].report.add_gaps();
  out.set_n(gap.n);
  out.set_n_new(gap.n_new);
  out.set_gap_ns(gap.gap_ns);
  out.mutable_phases_ns()->Add(gap.phases.begin(), gap.phases.end());
  out.set_told(ToldPhases(gap.phases, gap.flags, options_.graph_launch_level));
  out.set_overlaps_blind((gap.flags & record::kOverlapsBlind) != 0);
  if (gap.has_interference) out.set_interference_est_ns(gap.interference_est_ns);
  if (gap.is_stall) {
    out.set_stall_excess_ns(gap.excess_ns);
    out.set_largest_phase(static_cast<uint32_t>(gap.largest_phase));
    out.set_few_samples((gap.flags & record::kFewSamples) != 0);
    *out.mutable_finding() = ToFinding(gap.finding);
  }
}

void ReportBuilder::On(const record::IterationSummary& summary) {
  v1::Iterations& all = *report_.mutable_iterations();
  eager_fallbacks_.Add(summary);
  if (summary.dummy) {
    all.set_dummy(all.dummy() + 1);
  } else {
    all.set_count(all.count() + 1);
    if (summary.piecewise) {
      all.set_piecewise(all.piecewise() + 1);
    } else if (summary.graph) {
      all.set_graph(all.graph() + 1);
    } else {
      all.set_eager(all.eager() + 1);
    }
    if (summary.prefill_rows != 0 && summary.decode_rows != 0) all.set_mixed(all.mixed() + 1);
    if (!summary.has_counts()) all.set_batch_unknown(all.batch_unknown() + 1);
    const bool timed = analysis::IsInterval(summary.start, summary.end);
    if (timed) iteration_duration_.Add(summary.end - summary.start);
    if (timed && summary.has_counts() && summary.prefill_rows == 0 && summary.decode_rows != 0)
      decode_.push_back({summary.start, summary.end, summary.process});
    if (summary.gpu_start != 0) iteration_gpu_.Add(summary.gpu_busy_ns);
  }
  if (!options_.iterations) return;
  OpenIteration& open = iterations_.emplace_back();
  open.start = summary.start;
  v1::Iteration& out = open.iteration;
  out.set_iter(summary.key.iter);
  out.set_engine(summary.key.engine);
  out.set_dp_rank(summary.key.dp_rank);
  out.set_dur_ns(summary.end > summary.start ? summary.end - summary.start : 0);
  out.set_kernels(summary.kernels);
  out.set_graph(summary.graph);
  if (summary.gpu_start != 0) {
    out.set_gpu_ns(summary.gpu_busy_ns);
    if (!(options_.graph_launch_level && summary.graph)) out.set_collective_ns(summary.collective_ns);
  }
  if (summary.has_counts()) {
    out.set_prefill(summary.prefill_rows);
    out.set_decode(summary.decode_rows);
    out.set_prefill_tok(summary.prefill_tokens);
  }
  if ((summary.present & 1) != 0) out.set_kv_used(summary.kv_used);
  if ((summary.present & 2) != 0) out.set_kv_total(summary.kv_total);
  if ((summary.present & 4) != 0) out.set_waiting(summary.waiting);
}

}  // namespace slowtoken::report
