#include "report/coverage.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "analysis/detail_spans.h"
#include "analysis/text_safety.h"
#include "report/coverage_warnings.h"
#include "report/imported.h"
#include "report/kept_detail.h"
#include "report/next_tier.h"
#include "report/units.h"

namespace slowtoken::report {
namespace {

using analysis::SafeText;

// Above these shares of what should be there, busy and idle time are not told.
constexpr double kMostLaunchesWithoutWork = 0.01;
constexpr double kMostGraphNodesMissing = 0.02;
constexpr double kMostBlind = 0.01;
constexpr double kMostDropped = 0.01;

constexpr const char* kWithoutCall = base::kLossNames[static_cast<size_t>(base::Loss::kGpuWithoutCall)];

// GPU records whose call was not recorded: counted by every attribution that comes upon them, that of this reading and,
// earlier and even where no detail was kept, that of the recorder. The same records, so the larger number.
uint64_t WithoutCall(const analysis::RecorderFacts& facts, const std::vector<const base::LossCounters*>& reading) {
  uint64_t read = 0;
  for (const base::LossCounters* counters : reading) read += counters->Get(base::Loss::kGpuWithoutCall);
  return std::max(read, facts.Lost(base::Loss::kGpuWithoutCall));
}

// Losses by cause over all processes: the newest totals in the events, and those the reader found (a later version may
// know causes that this one does not). Records without a call were not dropped: they have a number of their own.
std::map<std::string, uint64_t> Losses(const analysis::TraceAnalysis& analysis,
                                       const std::vector<reader::ProcessInfo>& processes,
                                       const std::vector<const base::LossCounters*>& reading) {
  std::map<std::string, uint64_t> losses;
  for (size_t i = 0; i < base::kLossCount; ++i) {
    if (const uint64_t lost = analysis.facts().Lost(static_cast<base::Loss>(i)); lost != 0)
      losses[base::kLossNames[i]] = lost;
  }
  for (const reader::ProcessInfo& process : processes) {
    for (const auto& [cause, count] : process.losses) {
      if (!losses.contains(cause) && count != 0) losses[cause] = count;
    }
  }
  for (const base::LossCounters* counters : reading) {
    for (size_t i = 0; i < base::kLossCount; ++i) {
      const uint64_t lost = counters->Get(static_cast<base::Loss>(i));
      if (lost != 0) losses[absl::StrCat(kReadingPrefix, base::kLossNames[i])] += lost;
    }
  }
  losses.erase(kWithoutCall);
  losses.erase(absl::StrCat(kReadingPrefix, kWithoutCall));
  return losses;
}

uint32_t Tier(const v1::Report& report, const analysis::TraceAnalysis::Counts& counts) {
  const bool requests = report.ttft().all().count() != 0 || counts.requests != 0;
  if (requests && counts.batches != 0) return 3;
  if (requests) return 2;
  const bool said = report.iterations().count() != 0 && !report.iterations().has_inferred();
  return said || counts.iterations != 0 ? 1 : 0;
}

void FillMissing(const v1::Report& report, const analysis::TraceAnalysis& analysis, v1::Coverage& coverage) {
  const auto& counts = analysis.counts();
  const auto missing = [&](bool is_missing, const char* word) {
    if (is_missing) coverage.add_missing(word);
  };
  missing(counts.kernels + counts.graph_replays == 0, "gpu_records");
  missing(coverage.launches() == 0, "launches");
  missing(counts.graph_replays != 0, "graph_nodes");
  missing(counts.requests == 0 && report.requests().empty(), "requests");
  const v1::Iterations& iterations = report.iterations();
  missing(iterations.count() + iterations.dummy() == 0 || iterations.has_inferred(), "iterations");
  missing(counts.batches == 0, "batches");
  missing(report.origin().utc().empty(), "utc");
  missing(!analysis.facts().saw_thread_states(), "thread_states");  // then host causes stay unknown
  missing(!analysis.facts().saw_own_cost(), "own_cost");
}

void FillProcesses(const analysis::TraceAnalysis& analysis, const std::vector<reader::ProcessInfo>& processes,
                   v1::Coverage& coverage) {
  for (const analysis::SourceFact& fact : analysis.facts().Sources()) {
    v1::Source& out = *coverage.add_sources();
    out.set_process(fact.process);
    out.set_source(analysis::SourceName(fact.source));
    out.set_state(analysis::SourceStateName(fact.state));
    out.set_error(fact.error);
    out.set_version(fact.version);
    out.set_detail(fact.detail);
  }
  for (const reader::ProcessInfo& process : processes) {
    v1::Process& out = *coverage.add_processes();
    out.set_role(SafeText(process.role, 64));
    out.set_pid(process.pid);
    out.set_path(SafeText(std::filesystem::path(process.path).filename().string(), 256));
    out.set_clean_end(process.clean_end);
    out.set_running(!process.clean_end && process.IsRunning());
    out.set_damage(process.damage_count);
  }
}

void FillBlind(const analysis::RecorderFacts& facts, v1::Coverage& coverage) {
  coverage.set_blind_ns(facts.BlindNs());
  const auto by = facts.BlindBy();
  for (size_t i = 0; i < by.size(); ++i) {
    if (by[i] == 0) continue;
    v1::NamedCount& out = *coverage.add_blind_by();
    out.set_name(record::kBlindReasonNames[i]);
    out.set_count(by[i]);
  }
}

// Of a sample nobody can tell when the GPU was idle.
bool Trusted(const v1::Coverage& coverage, const analysis::TraceAnalysis& analysis) {
  const auto& counts = analysis.counts();
  const uint64_t records = counts.kernels + counts.graph_replays;
  const analysis::RecorderFacts& facts = analysis.facts();
  const uint64_t dropped = facts.Lost(base::Loss::kCuptiDropped) + facts.Lost(base::Loss::kPendingGpuEvicted) +
                           facts.Lost(base::Loss::kGpuWithoutCall);
  return records != 0 && !coverage.sampled() &&
         Share(coverage.launches() - coverage.launches_matched(), coverage.launches()) <= kMostLaunchesWithoutWork &&
         Share(coverage.graph_nodes_missing(), analysis.graph_nodes().expected()) <= kMostGraphNodesMissing &&
         Share(coverage.blind_ns(), analysis.facts().WallNs()) <= kMostBlind &&
         Share(dropped, records + dropped) <= kMostDropped;
}

void FillSampled(const analysis::RecorderFacts& facts, const std::vector<reader::ProcessInfo>& processes,
                 v1::Coverage& coverage) {
  coverage.set_sampled(analysis::DetailIsSampled(facts, processes));
  if (!coverage.sampled()) return;
  const record::CaptureTotals counted = facts.Counted();
  coverage.mutable_seen()->set_kernels(counted.kernels);
  coverage.mutable_seen()->set_launches(counted.launches);
}

// What was left out on purpose is not missing.
bool Complete(const v1::Coverage& coverage, bool no_detail) {
  const bool whole = std::all_of(coverage.processes().begin(), coverage.processes().end(),
                                 [](const v1::Process& process) { return process.damage() == 0; });
  return (coverage.gpu_trusted() || no_detail || coverage.sampled()) && whole && coverage.unreadable().empty() &&
         !coverage.engines_guessed() && coverage.dropped().empty() &&
         coverage.launches() == coverage.launches_matched() && coverage.graph_nodes_missing() == 0 &&
         coverage.untimed() == 0 && coverage.without_call() == 0 && coverage.blind_ns() == 0;
}

}  // namespace

void FillConditions(const analysis::TraceAnalysis& analysis, const std::vector<reader::ProcessInfo>& processes,
                    v1::Report& report) {
  v1::Conditions& conditions = *report.mutable_conditions();
  std::set<std::string> runs, hosts, writers, levels, keys;
  for (const reader::ProcessInfo& process : processes) {
    for (const auto& [key, value] : process.labels)
      (*conditions.mutable_labels())[SafeText(key, 256)] = SafeText(value, 1024);
    if (!process.run_id.empty()) runs.insert(SafeText(process.run_id, 64));
    if (!process.host.empty()) hosts.insert(SafeText(process.host, 64));
    if (!process.key_id.empty()) keys.insert(SafeText(process.key_id, 64));
    if (!process.writer_version.empty()) writers.insert(SafeText(process.writer_version, 64));
    levels.insert(process.graph_nodes ? "node" : "launch");
  }
  conditions.mutable_run_ids()->Add(runs.begin(), runs.end());
  conditions.mutable_hosts()->Add(hosts.begin(), hosts.end());
  conditions.mutable_writers()->Add(writers.begin(), writers.end());
  conditions.mutable_key_ids()->Add(keys.begin(), keys.end());
  if (!levels.empty()) conditions.set_graph_level(levels.size() == 2 ? "mixed" : *levels.begin());
  uint32_t version = 0;
  for (const analysis::SourceFact& fact : analysis.facts().Sources()) {
    if (fact.source == record::Source::kCupti) version = std::max(version, fact.version);
  }
  conditions.set_cupti_version(version);
  for (const auto& [name, values] : analysis.surroundings().Values()) {
    if (IsAboutImport(name)) continue;  // stands in coverage
    v1::Fact& fact = *conditions.add_facts();
    fact.set_name(name);
    fact.mutable_values()->Add(values.begin(), values.end());
  }
}

void FillCoverage(const analysis::TraceAnalysis& analysis, const std::vector<reader::ProcessInfo>& processes,
                  const std::vector<const base::LossCounters*>& reading, const ReadingNotes& notes,
                  v1::Report& report) {
  v1::Coverage& coverage = *report.mutable_coverage();
  const analysis::LaunchStats& stats = analysis.launch_stats();
  coverage.set_tier(Tier(report, analysis.counts()));
  coverage.set_kernels(analysis.counts().kernels);
  coverage.set_launches(stats.launches());
  coverage.set_launches_matched(stats.matched());
  coverage.set_launches_captured(stats.captured());
  coverage.set_graph_launches(stats.graph_launches());
  coverage.set_graph_nodes_missing(analysis.graph_nodes().missing());
  coverage.set_untimed(analysis.counts().untimed);
  coverage.set_without_call(WithoutCall(analysis.facts(), reading));
  FillBlind(analysis.facts(), coverage);
  for (const auto& [cause, count] : Losses(analysis, processes, reading)) {
    v1::NamedCount& out = *coverage.add_dropped();
    out.set_name(SafeText(cause, 64));
    out.set_count(count);
  }
  FillProcesses(analysis, processes, coverage);
  FillMissing(report, analysis, coverage);
  AddImported(analysis, coverage);
  if (NoDetail(processes)) coverage.add_missing("detail");
  for (const std::string& file : notes.unreadable) coverage.add_unreadable(SafeText(file, 512));
  for (const std::string& engines : notes.engines) coverage.add_engines_kept_apart(SafeText(engines, 512));
  for (const auto& [shape, count] : analysis.malformed()) {
    v1::NamedCount& out = *coverage.add_malformed();
    out.set_name(shape);
    out.set_count(count);
  }
  coverage.set_engines_guessed(notes.engines_guessed);
  FillSampled(analysis.facts(), processes, coverage);
  coverage.set_gpu_trusted(Trusted(coverage, analysis));
  coverage.set_complete(Complete(coverage, NoDetail(processes)));
  if (!coverage.gpu_trusted()) {
    const bool none = analysis.counts().kernels + analysis.counts().graph_replays == 0;
    for (v1::Device& device : *report.mutable_devices()) {
      if (none || coverage.sampled()) device.clear_busy_ns();
      device.clear_idle_ns();
      device.clear_host_ns();
      device.clear_dependency_ns();
      device.clear_copy_ns();
      device.clear_no_work_ns();
      device.clear_unknown_ns();
    }
  }
  coverage.set_next_tier(NextTier(coverage, report.conditions()));
  for (std::string& line : CoverageWarnings(coverage, processes)) *coverage.add_warnings() = std::move(line);
}

}  // namespace slowtoken::report
