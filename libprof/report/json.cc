#include "report/json.h"

#include <absl/strings/str_format.h>

#include <map>

#include "record/annotation.h"
#include "record/phases.h"
#include "report/acting_thread.h"
#include "report/collectives.h"
#include "report/device_clocks.h"
#include "report/findings.h"
#include "report/json_gaps.h"
#include "report/json_graphs.h"
#include "report/json_parts.h"
#include "report/json_sections.h"
#include "report/phase_threads.h"

namespace slowtoken::report {
namespace {

Json Counts(const google::protobuf::RepeatedPtrField<v1::NamedCount>& counts) {
  Json out = Json::object();
  for (const v1::NamedCount& count : counts) out[count.name()] = count.count();
  return out;
}

Json CoverageJson(const v1::Coverage& coverage) {
  Json out = {
      {"tier", coverage.tier()},
      {"kernels", coverage.kernels()},
      {"launches", coverage.launches()},
      {"launches_matched", coverage.launches_matched()},
      {"launches_captured", coverage.launches_captured()},
      {"graph_launches", coverage.graph_launches()},
      {"graph_nodes_missing", coverage.graph_nodes_missing()},
      {"untimed", coverage.untimed()},
      {"without_call", coverage.without_call()},
      {"blind_ns", coverage.blind_ns()},
      {"blind_by", Counts(coverage.blind_by())},
      {"dropped", Counts(coverage.dropped())},
      {"unattributed_share", coverage.has_unattributed_share() ? Json(coverage.unattributed_share()) : Json()},
      {"complete", coverage.complete()},
      {"gpu_trusted", coverage.gpu_trusted()},
      {"sampled", coverage.sampled()},
      {"seen", coverage.has_seen()
                   ? Json{{"kernels", coverage.seen().kernels()}, {"launches", coverage.seen().launches()}}
                   : Json()},
      {"missing", coverage.missing()},
      {"next_tier", TextOrNull(coverage.next_tier())},
      {"unreadable", coverage.unreadable()},
      {"malformed", Counts(coverage.malformed())},
      {"engines_kept_apart", coverage.engines_kept_apart()},
      {"warnings", coverage.warnings()},
      {"notes", coverage.notes()},
      {"sources", Json::array()},
      {"processes", Json::array()},
  };
  for (const v1::Source& source : coverage.sources()) {
    out["sources"].push_back({{"process", source.process()},
                              {"source", source.source()},
                              {"state", source.state()},
                              {"error", source.error()},
                              {"version", source.version()},
                              {"detail", source.detail()}});
  }
  for (const v1::Process& process : coverage.processes()) {
    out["processes"].push_back({{"role", process.role()},
                                {"pid", process.pid()},
                                {"file", process.path()},
                                {"clean_end", process.clean_end()},
                                {"running", process.running()},
                                {"damage", process.damage()}});
  }
  return out;
}

using Distributions = google::protobuf::RepeatedPtrField<v1::Distribution>;

template <size_t N>
Json PhaseMeansJson(const Distributions& phases, uint32_t told, const char* const (&names)[N]) {
  google::protobuf::RepeatedField<uint64_t> means;
  for (const v1::Distribution& phase : phases) means.Add(phase.mean_ns());
  return PhasesJson(means, told, names);
}

template <size_t N>
Json PhaseDistributionsJson(const Distributions& phases, uint32_t told, const char* const (&names)[N]) {
  Json out = Json::object();
  for (int i = 0; i < phases.size() && i < static_cast<int>(N); ++i) {
    if ((told >> i & 1) != 0) out[names[i]] = DistributionJson(phases[i]);
  }
  return out;
}

Json ThroughputJson(const v1::Throughput& throughput) {
  return {{"req_per_s", throughput.has_req_per_s() ? Json(throughput.req_per_s()) : Json()},
          {"tok_per_s", throughput.has_tok_per_s() ? Json(throughput.tok_per_s()) : Json()},
          {"finish", Counts(throughput.finish())}};
}

Json TtftJson(const v1::Ttft& ttft) {
  Json out = DistributionJson(ttft.all());
  out["phases_mean_ns"] = PhaseMeansJson(ttft.phases(), ttft.told(), record::kTtftPhaseNames);
  out["phases"] = PhaseDistributionsJson(ttft.phases(), ttft.told(), record::kTtftPhaseNames);
  Json& by = out["queue_by_mean_ns"] = Json::object();
  for (int i = 0; i < ttft.queue_by_mean_ns_size(); ++i) {
    if (ttft.queue_by_mean_ns(i) != 0) by[record::kWaitReasonTexts[i]] = ttft.queue_by_mean_ns(i);
  }
  out["threads_by_phase"] = PhaseThreadsJson(ttft.threads(), record::kTtftPhaseNames);
  out["over_slo"] = ttft.over_level();
  return out;
}

Json ItlJson(const v1::Itl& itl) {
  return {{"step", DistributionJson(itl.step())},
          {"token", DistributionJson(itl.token())},
          {"phases_mean_ns", PhaseMeansJson(itl.phases(), itl.told(), record::kGapPhaseNames)},
          {"phases", PhaseDistributionsJson(itl.phases(), itl.told(), record::kGapPhaseNames)},
          {"threads_by_phase", PhaseThreadsJson(itl.threads(), record::kGapPhaseNames)},
          {"interference_est", DistributionJson(itl.interference())}};
}

Json ByDefinitionJson(const v1::ByDefinition& by) {
  return {{"definition", by.definition()},
          {"ttft", DistributionJson(by.ttft())},
          {"itl", DistributionJson(by.itl())},
          {"tpot", DistributionJson(by.tpot())},
          {"note", by.note()}};
}

Json InferredJson(const v1::Inferred& inferred) {
  return {{"decode", inferred.decode()},
          {"prefill", inferred.prefill()},
          {"mixed", inferred.mixed()},
          {"unknown", inferred.unknown()},
          {"between_decodes_ns", DistributionJson(inferred.between_decodes())}};
}

}  // namespace

Json StallJson(const v1::Stall& stall) {
  return {{"req", RequestName(stall.req(), stall.clear())},
          {"n", stall.n()},
          {"start_ns", stall.start_ns()},
          {"gap_ns", stall.gap_ns()},
          {"cause", CauseText(stall.finding())},
          {"confidence", ConfidenceText(stall.finding())},
          {"evidence", EvidenceJson(stall.finding())},
          {"acting_thread", ActingThreadJson(stall.finding())},
          {"overlaps_blind", stall.overlaps_blind()},
          {"largest_phase", record::kGapPhaseNames[stall.largest_phase() % record::kGapPhaseCount]},
          {"excess_ns", stall.excess_ns()},
          {"few_samples", stall.few_samples()},
          {"moment", stall.moment()}};
}

Json StallMomentJson(const v1::StallMoment& moment, const v1::Report& report) {
  const v1::Stall& worst = report.stalls(static_cast<int>(moment.worst()));
  const bool told = worst.process() < static_cast<uint32_t>(report.coverage().processes_size());
  return {{"cause", CauseText(worst.finding())},
          {"pid", told ? Json(report.coverage().processes(static_cast<int>(worst.process())).pid()) : Json()},
          {"start_ns", moment.start_ns()},
          {"end_ns", moment.end_ns()},
          {"gaps", moment.stalls_size()},
          {"requests", moment.requests()},
          {"sure", moment.sure()},
          {"excess_ns", moment.excess_ns()},
          {"lost_ns", moment.lost_ns()},
          {"few_samples", worst.few_samples()},
          {"worst", {{"req", RequestName(worst.req(), worst.clear())}, {"n", worst.n()}}}};
}

Json TriggerJson(const v1::TriggerReport& trigger) {
  Json out = {{"kind", trigger.kind()},
              {"time_ns", trigger.time_ns()},
              {"window_start_ns", trigger.window_start_ns()},
              {"window_end_ns", trigger.window_end_ns()},
              {"pid", trigger.pid()},
              {"id", trigger.id()}};
  out["req"] = trigger.req() == 0 ? Json() : Json(RequestName(trigger.req(), trigger.clear()));
  out["n"] = trigger.n() == 0 ? Json() : Json(trigger.n());
  out["value_ns"] = trigger.limit_ns() == 0 ? Json() : Json(trigger.value_ns());
  out["limit_ns"] = trigger.limit_ns() == 0 ? Json() : Json(trigger.limit_ns());
  out["text"] = TextOrNull(trigger.text());
  return out;
}

Json DetailJson(const v1::DetailSpan& span) {
  return {{"pid", span.pid()},
          {"start_ns", span.start_ns()},
          {"end_ns", span.end_ns()},
          {"level", span.level()},
          {"reason", span.reason()},
          {"unit", TextOrNull(span.unit())},
          {"keep_one_in", span.keep_one_in() == 0 ? Json() : Json(span.keep_one_in())},
          {"cost", span.has_cost() ? Json(span.cost()) : Json()},
          {"budget", span.has_budget() ? Json(span.budget()) : Json()}};
}

Json IterationsJson(const v1::Iterations& iterations) {
  return {{"count", iterations.count()},
          {"graph", iterations.graph()},
          {"piecewise", iterations.piecewise()},
          {"eager", iterations.eager()},
          {"mixed", iterations.mixed()},
          {"dummy", iterations.dummy()},
          {"batch_unknown", iterations.batch_unknown()},
          {"dur_ns", DistributionJson(iterations.duration())},
          {"gpu_ns", DistributionJson(iterations.gpu())},
          {"inferred", iterations.has_inferred() ? InferredJson(iterations.inferred()) : Json()}};
}

namespace {

Json LaunchJson(const v1::Launches& launch) {
  return {{"api_ns", DistributionJson(launch.api())},
          {"delay_ns", DistributionJson(launch.delay())},
          {"total_ns", DistributionJson(launch.total())},
          {"delayed", launch.delayed()},
          {"early", launch.early()}};
}

}  // namespace

Json DeviceJson(const v1::Device& device) {
  Json by = Json::object();
  if (device.has_host_ns()) by["host"] = device.host_ns();
  if (device.has_dependency_ns()) by["dependency"] = device.dependency_ns();
  if (device.has_copy_ns()) by["copy"] = device.copy_ns();
  if (device.has_no_work_ns()) by["no_work"] = device.no_work_ns();
  if (device.has_unknown_ns()) by["unknown"] = device.unknown_ns();
  return {{"uuid", device.uuid()},
          {"name", device.name()},
          {"mig", device.mig()},
          {"busy_ns", device.has_busy_ns() ? Json(device.busy_ns()) : Json()},
          {"idle_ns", device.has_idle_ns() ? Json(device.idle_ns()) : Json()},
          {"idle_by", by},
          {"copies_ns", device.has_copies_ns() ? Json(device.copies_ns()) : Json()},
          {"copies_overlapped_ns", device.has_copies_overlapped_ns() ? Json(device.copies_overlapped_ns()) : Json()},
          {"streams_overlap_ns", device.has_streams_overlap_ns() ? Json(device.streams_overlap_ns()) : Json()},
          {"decode", DecodeIdleJson(device)},
          {"clocks", device.has_clocks() ? ClocksJson(device.clocks()) : Json()}};
}

Json KernelJson(const v1::KernelReport& kernel) {
  return {{"name", kernel.name()},         {"category", kernel.category()}, {"count", kernel.count()},
          {"total_ns", kernel.total_ns()}, {"p50_ns", kernel.p50_ns()},     {"max_ns", kernel.max_ns()}};
}

Json KernelCategoryJson(const v1::KernelCategory& category) {
  return {{"category", category.name()}, {"count", category.count()}, {"total_ns", category.total_ns()}};
}

namespace {

Json OverheadJson(const v1::Report& report) {
  const v1::Overhead& overhead = report.overhead();
  const auto told = [&](uint64_t value) { return report.has_overhead() ? Json(value) : Json(); };
  return {{"worker_cpu_ns", told(overhead.worker_cpu_ns())},
          {"callback_ns", told(overhead.callback_ns())},
          {"memory_bytes", told(overhead.memory_bytes())},
          {"flush_cpu_ns", told(overhead.flush_cpu_ns())},
          {"cupti_overhead_ns", told(overhead.cupti_overhead_ns())},
          {"share", overhead.has_share() ? Json(overhead.share()) : Json()}};
}

Json ServiceLevelsJson(const v1::ServiceLevels& levels) {
  const auto from = [](bool given, bool of_run) { return given ? Json(of_run ? "run" : "asked") : Json(); };
  return {{"ttft_ns", levels.has_ttft_ns() ? Json(levels.ttft_ns()) : Json()},
          {"ttft_from", from(levels.has_ttft_ns(), levels.ttft_of_run())},
          {"itl_ns", levels.has_itl_ns() ? Json(levels.itl_ns()) : Json()},
          {"itl_from", from(levels.has_itl_ns(), levels.itl_of_run())}};
}

Json ConditionsJson(const v1::Conditions& conditions) {
  Json labels = Json::object();
  for (const auto& [key, value] :
       std::map<std::string, std::string>(conditions.labels().begin(), conditions.labels().end())) {
    labels[key] = value;
  }
  Json facts = Json::object();
  for (const v1::Fact& fact : conditions.facts()) facts[fact.name()] = fact.values();
  return {{"labels", labels},
          {"run_ids", conditions.run_ids()},
          {"hosts", conditions.hosts()},
          {"slowtoken_versions", conditions.writers()},
          {"graph_level", conditions.graph_level()},
          {"cupti_version", conditions.cupti_version()},
          {"facts", facts}};
}

// `"name": [` with one element a line.
template <typename Elements, typename ToJson>
void WriteArray(std::ostream& out, const char* name, const Elements& elements, ToJson to_json) {
  out << ",\n\"" << name << "\": [";
  const char* separator = "\n  ";
  for (const auto& element : elements) {
    out << separator << Dump(to_json(element));
    separator = ",\n  ";
  }
  out << "]";
}

void WriteMember(std::ostream& out, const char* name, const Json& value) {
  out << ",\n\"" << name << "\": " << Dump(value);
}

}  // namespace

std::string RequestName(uint64_t req, const std::string& clear) {
  return clear.empty() ? absl::StrFormat("%016x", req) : clear;
}

Json WholeJson(const v1::Report& report) {
  Json out = {
      {"origin", {{"monotonic_ns", report.origin().monotonic_ns()}, {"utc", TextOrNull(report.origin().utc())}}},
      {"coverage", CoverageJson(report.coverage())},
      {"service_levels", ServiceLevelsJson(report.levels())},
      {"throughput", ThroughputJson(report.throughput())},
      {"ttft", TtftJson(report.ttft())},
      {"itl", ItlJson(report.itl())}};
  if (report.has_by_definition()) out["by_definition"] = ByDefinitionJson(report.by_definition());
  out["launch"] = LaunchJson(report.launch());
  out["launch_gaps"] = LaunchGapsJson(report);
  out["graphs"] = GraphsJson(report.graphs());
  out["collectives"] = CollectivesJson(report);
  out["overhead"] = OverheadJson(report);
  out["conditions"] = ConditionsJson(report.conditions());
  return out;
}

void WriteJson(const v1::Report& report, const Options& options, std::ostream& out) {
  out << "{\"schema\": \"slowtoken.report.v1\"";
  const Json whole = WholeJson(report);
  for (const auto& [name, value] : whole.items()) WriteMember(out, name.c_str(), value);
  WriteArray(out, "ranks", report.ranks(), RankJson);
  WriteArray(out, "devices", report.devices(), DeviceJson);
  WriteArray(out, "kernels", report.kernels(), KernelJson);
  WriteArray(out, "kernel_categories", report.kernel_categories(), KernelCategoryJson);
  WriteArray(out, "stalls", report.stalls(), StallJson);
  WriteArray(out, "stall_moments", report.stall_moments(),
             [&](const v1::StallMoment& moment) { return StallMomentJson(moment, report); });
  WriteArray(out, "triggers", report.triggers(), TriggerJson);
  WriteArray(out, "detail", report.detail(), DetailJson);
  Json iterations = IterationsJson(report.iterations());
  if (options.iterations) {
    iterations["list"] = Json::array();
    for (const v1::Iteration& iteration : report.iterations().list())
      iterations["list"].push_back(IterationJson(iteration));
  }
  WriteMember(out, "iterations", iterations);
  WriteArray(out, "requests", report.requests(),
             [&](const v1::RequestReport& request) { return RequestJson(request, options); });
  out << "\n}\n";
}

}  // namespace slowtoken::report
