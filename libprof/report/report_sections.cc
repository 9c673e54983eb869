// The second half of ReportBuilder: from what was collected to the sections of the report.
#include <absl/time/time.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "analysis/interval.h"
#include "report/collectives.h"
#include "report/coverage.h"
#include "report/device_clocks.h"
#include "report/inferred.h"
#include "report/json.h"
#include "report/kept_detail.h"
#include "report/phase_threads.h"
#include "report/report_builder.h"
#include "report/stall_moments.h"
#include "report/whole_replays.h"
#include "rules/kernel_category.h"

namespace slowtoken::report {
namespace {

constexpr size_t kMostKernels = 1000;  // named in a report; what is beyond is one line

std::string Utc(uint64_t realtime_ns) {
  if (realtime_ns == 0 || !analysis::IsTime(realtime_ns)) return "";
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E9SZ", absl::FromUnixNanos(static_cast<int64_t>(realtime_ns)),
                          absl::UTCTimeZone());
}

template <size_t N>
void FillPhases(const std::array<analysis::LogHistogram, N>& phases,
                google::protobuf::RepeatedPtrField<v1::Distribution>& out) {
  for (const analysis::LogHistogram& phase : phases) *out.Add() = ToDistribution(phase);
}

// Over all kernels, also those that are too many to be named; and graph replays of whose kernels nothing is known.
void FillKernelCategories(const std::vector<analysis::KernelTable::Entry>& kernels,
                          const analysis::TraceAnalysis::Counts& counts, v1::Report& report) {
  std::map<std::string, v1::KernelCategory> sums;
  for (const analysis::KernelTable::Entry& kernel : kernels) {
    v1::KernelCategory& sum = sums[kernel.category];
    sum.set_name(kernel.category);
    sum.set_count(sum.count() + kernel.count);
    sum.set_total_ns(analysis::SaturatingAdd(sum.total_ns(), kernel.total_ns));
  }
  if (counts.graph_replays != 0) {
    v1::KernelCategory& replays = sums[kWholeReplays];
    replays.set_name(kWholeReplays);
    replays.set_count(counts.graph_replays);
    replays.set_total_ns(counts.graph_replay_ns);
  }
  for (auto& [name, sum] : sums) report.add_kernel_categories()->Swap(&sum);
  std::stable_sort(report.mutable_kernel_categories()->begin(), report.mutable_kernel_categories()->end(),
                   [](const auto& a, const auto& b) { return a.total_ns() > b.total_ns(); });
  if (!kernels.empty()) report.set_kernel_rules_version(rules::kKernelRulesVersion);
}

void FillLevels(const Options& options, v1::ServiceLevels& levels) {
  if (options.slo_ttft_ns != 0) levels.set_ttft_ns(options.slo_ttft_ns);
  if (options.slo_itl_ns != 0) levels.set_itl_ns(options.slo_itl_ns);
  levels.set_ttft_of_run(options.slo_ttft_of_run);
  levels.set_itl_of_run(options.slo_itl_of_run);
}

}  // namespace

v1::Report ReportBuilder::Build(const analysis::TraceAnalysis& analysis,
                                const std::vector<reader::ProcessInfo>& processes,
                                const std::vector<const base::LossCounters*>& reading, const ReadingNotes& notes) {
  FillOrigin(analysis, processes);
  FillLevels(options_, *report_.mutable_levels());
  FillThroughput();
  FillRequests(analysis);
  FillStallMoments(report_);
  FillTtft();
  FillItl();
  FillPhaseThreads(analysis.ttft_threads(), record::kTtftPhaseCount, *report_.mutable_ttft()->mutable_threads());
  FillPhaseThreads(analysis.gap_threads(), record::kGapPhaseCount, *report_.mutable_itl()->mutable_threads());
  FillIterations();
  FillInferred(analysis.inferred(), options_, origin_, *report_.mutable_iterations());
  FillMachine(analysis, processes);
  FillConditions(analysis, processes, report_);
  FillKeptDetail(analysis, processes, analysis.dictionary(), origin_, report_);
  FillCoverage(analysis, processes, reading, notes, report_);
  FillLaunchGaps(analysis, processes, std::move(decode_), report_);
  FillGraphs(analysis, *report_.mutable_graphs());
  FillCollectives(analysis.collectives(), processes, report_);
  eager_fallbacks_.Fill(*report_.mutable_graphs());
  const uint64_t attributed_over = analysis::SaturatingAdd(ttft_sum_, gap_sum_);
  if (attributed_over != 0) {
    const uint64_t unattributed = analysis::SaturatingAdd(ttft_phases_.back().sum(), gap_phases_.back().sum());
    report_.mutable_coverage()->set_unattributed_share(static_cast<double>(unattributed) /
                                                       static_cast<double>(attributed_over));
  }
  return std::move(report_);
}

// The earliest of: the start of a process, the arrival of a request that was alive then.
void ReportBuilder::FillOrigin(const analysis::TraceAnalysis& analysis,
                               const std::vector<reader::ProcessInfo>& processes) {
  const auto consider = [this](record::TimeNs time) {
    if (analysis::IsTime(time) && (origin_ == 0 || time < origin_)) origin_ = time;
  };
  consider(analysis.facts().first_time());
  for (const reader::ProcessInfo& process : processes) consider(process.start);
  for (const auto& [req, request] : requests_) consider(request.arrival);
  v1::Origin& origin = *report_.mutable_origin();
  origin.set_monotonic_ns(origin_);
  uint64_t monotonic = 0, realtime = 0;
  if (const record::ClockSnapshot* snapshot = analysis.facts().FirstSnapshot(); snapshot != nullptr) {
    monotonic = snapshot->monotonic;
    realtime = snapshot->realtime;
  } else if (!processes.empty()) {
    monotonic = processes[0].start;
    realtime = processes[0].start_utc;
  }
  if (analysis::IsTime(realtime)) origin.set_utc(Utc(realtime - monotonic + origin_));
}

void ReportBuilder::FillRequests(const analysis::TraceAnalysis& analysis) {
  std::vector<Request*> in_order;
  for (auto& [req, request] : requests_) {
    if (request.summarised && Wanted(req)) in_order.push_back(&request);
  }
  std::sort(in_order.begin(), in_order.end(), [](const Request* a, const Request* b) {
    return a->arrival != b->arrival ? a->arrival < b->arrival : a->report.req() < b->report.req();
  });
  const auto clear_of = [&](uint64_t req) { return analysis.request_texts().Of(req); };
  const auto complete = [&](v1::Finding* finding) {
    if (finding->req() != 0) finding->set_clear(clear_of(finding->req()));
    if (const auto named = requests_.find(finding->req()); named != requests_.end()) {
      finding->set_req_prompt(named->second.report.prompt());
      finding->set_req_finish(named->second.report.finish());
    }
    finding->set_acting_role(std::string(analysis.thread_roles().OfThread(finding->acting_thread())));
    if (finding->thread() == 0) return;
    finding->set_thread_role(std::string(analysis.thread_roles().OfThread(finding->thread())));
    if (const auto process = analysis.thread_roles().ProcessOf(finding->thread())) finding->set_process(*process);
  };
  // While all that a finding may name is still in its place.
  for (OpenStall& open : stalls_) complete(open.stall.mutable_finding());
  for (Request* request : in_order) {
    if (request->report.has_finding()) complete(request->report.mutable_finding());
    for (v1::Gap& gap : *request->report.mutable_gaps()) {
      if (gap.has_finding()) complete(gap.mutable_finding());
    }
  }
  for (Request* request : in_order) {
    v1::RequestReport& report = *report_.add_requests();
    report.Swap(&request->report);
    report.set_arrival_ns(SinceOrigin(request->arrival));
    report.set_clear(clear_of(report.req()));
    auto& gaps = *report.mutable_gaps();
    std::sort(gaps.begin(), gaps.end(), [](const v1::Gap& a, const v1::Gap& b) { return a.n() < b.n(); });
  }
  std::sort(stalls_.begin(), stalls_.end(), [](const OpenStall& a, const OpenStall& b) {
    return a.start != b.start ? a.start < b.start : a.stall.req() < b.stall.req();
  });
  for (OpenStall& open : stalls_) {
    v1::Stall& stall = *report_.add_stalls();
    stall.Swap(&open.stall);
    stall.set_start_ns(SinceOrigin(open.start));
    stall.set_clear(clear_of(stall.req()));
  }
}

// Over all requests of the trace, also where only one is listed.
void ReportBuilder::FillThroughput() {
  v1::Throughput& out = *report_.mutable_throughput();
  uint64_t tokens = 0, count = 0;
  record::TimeNs first = 0, last = 0;
  std::array<uint64_t, std::size(record::kFinishReasonTexts)> finish{};
  uint64_t ended = 0;
  for (const auto& [req, request] : requests_) {
    if (!request.summarised) continue;
    ++count;
    tokens = analysis::SaturatingAdd(tokens, request.report.tokens());
    if (request.report.finish() == 0 && request.report.ended()) {
      ++ended;
    } else if (request.report.finish() < finish.size()) {
      ++finish[request.report.finish()];
    }
    if (first == 0 || request.arrival < first) first = request.arrival;
    last = std::max(last, request.end);
  }
  for (size_t i = 0; i < finish.size(); ++i) {
    v1::NamedCount& reason = *out.add_finish();
    reason.set_name(record::kFinishReasonTexts[i]);
    reason.set_count(finish[i]);
  }
  v1::NamedCount& without_reason = *out.add_finish();
  without_reason.set_name(kEndedText);
  without_reason.set_count(ended);
  if (last <= first) return;
  const double seconds = static_cast<double>(last - first) / 1e9;
  out.set_req_per_s(static_cast<double>(count) / seconds);
  out.set_tok_per_s(static_cast<double>(tokens) / seconds);
}

void ReportBuilder::FillTtft() {
  v1::Ttft& out = *report_.mutable_ttft();
  *out.mutable_all() = ToDistribution(ttft_.Summarize());
  FillPhases(ttft_phases_, *out.mutable_phases());
  out.set_told(ttft_told_);
  for (const uint64_t sum : queue_by_sum_) out.add_queue_by_mean_ns(sum / std::max<uint64_t>(out.all().count(), 1));
  out.set_over_level(ttft_over_level_);
}

void ReportBuilder::FillItl() {
  v1::Itl& out = *report_.mutable_itl();
  *out.mutable_step() = ToDistribution(step_.Summarize());
  *out.mutable_token() = ToDistribution(token_.Summarize());
  FillPhases(gap_phases_, *out.mutable_phases());
  out.set_told(gap_told_);
  *out.mutable_interference() = ToDistribution(interference_);
  out.set_interference_of_ns(interference_of_ns_);
}

void ReportBuilder::FillIterations() {
  v1::Iterations& out = *report_.mutable_iterations();
  *out.mutable_duration() = ToDistribution(iteration_duration_);
  *out.mutable_gpu() = ToDistribution(iteration_gpu_);
  std::sort(iterations_.begin(), iterations_.end(),
            [](const OpenIteration& a, const OpenIteration& b) { return a.start < b.start; });
  for (OpenIteration& open : iterations_) {
    v1::Iteration& iteration = *out.add_list();
    iteration.Swap(&open.iteration);
    iteration.set_start_ns(SinceOrigin(open.start));
  }
}

void ReportBuilder::FillMachine(const analysis::TraceAnalysis& analysis,
                                const std::vector<reader::ProcessInfo>& processes) {
  v1::Launches& launch = *report_.mutable_launch();
  const analysis::LaunchStats& stats = analysis.launch_stats();
  *launch.mutable_api() = ToDistribution(stats.api());
  *launch.mutable_delay() = ToDistribution(stats.delay());
  *launch.mutable_total() = ToDistribution(stats.total());
  launch.set_delayed(stats.delayed());
  launch.set_early(stats.early());
  for (const analysis::Device& device : analysis.devices().all()) {
    v1::Device& out = *report_.add_devices();
    out.set_uuid(device.uuid);
    out.set_name(device.name);
    out.set_mig(device.mig);
    out.set_busy_ns(device.timeline.busy_ns());
    if (const auto clocks = analysis.device_clocks().Of(device.uuid)) FillClocks(*clocks, *out.mutable_clocks());
    const analysis::IdleBy& by = device.timeline.idle_by();
    out.set_idle_ns(device.timeline.idle_ns());
    out.set_host_ns(by.host);
    out.set_dependency_ns(by.dependency);
    out.set_copy_ns(by.copy);
    if (by.no_work) out.set_no_work_ns(*by.no_work);
    out.set_unknown_ns(by.unknown);
  }
  std::vector<analysis::KernelTable::Entry> kernels = analysis.kernels().Entries();
  FillKernelCategories(kernels, analysis.counts(), report_);
  kernels.resize(std::min(kernels.size(), kMostKernels));
  for (analysis::KernelTable::Entry& kernel : kernels) {
    v1::KernelReport& out = *report_.add_kernels();
    out.set_name(std::move(kernel.name));
    out.set_category(kernel.category);
    out.set_count(kernel.count);
    out.set_total_ns(kernel.total_ns);
    out.set_p50_ns(kernel.p50_ns);
    out.set_max_ns(kernel.max_ns);
  }
  const analysis::RecorderFacts& facts = analysis.facts();
  if (!facts.saw_own_cost()) return;  // what nobody measured is not zero
  v1::Overhead& overhead = *report_.mutable_overhead();
  overhead.set_worker_cpu_ns(facts.WorkerCpuNs());
  overhead.set_callback_ns(facts.CallbackNs());
  overhead.set_memory_bytes(facts.MemoryBytes());
  overhead.set_flush_cpu_ns(facts.FlushCpuNs());
  overhead.set_cupti_overhead_ns(facts.CuptiOverheadNs());
  // Costs are counted since the process began to record, and so is the time they are a part of: what was read may be
  // the last seconds alone.
  std::vector<double> shares;
  for (const auto& [process, cost] : facts.costs()) {
    if (process >= processes.size()) continue;
    if (const auto share = analysis::OwnShare(cost, processes[process].start)) shares.push_back(*share);
  }
  if (shares.empty()) return;
  overhead.set_share(std::accumulate(shares.begin(), shares.end(), 0.0) / static_cast<double>(shares.size()));
}

}  // namespace slowtoken::report
