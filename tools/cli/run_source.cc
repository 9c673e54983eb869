#include "run_source.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "reader/trace_choice.h"
#include "report/findings.h"
#include "report/json.h"
#include "report/json_parts.h"
#include "report/level_words.h"
#include "trace_pass.h"
#include "trace_report.h"
#include "verb.h"

namespace slowtoken::cli {
namespace {

using analysis::RequestSample;
using analysis::RunSample;
using nlohmann::json;

RequestSample ToSample(const v1::RequestReport& request) {
  RequestSample sample;
  const std::string finish = report::FinishText(request);
  sample.failed = finish == "abort" || finish == "error" || finish == "rejected";
  sample.prompt = static_cast<double>(request.prompt() - std::min(request.prompt(), request.cached()));
  sample.tokens = static_cast<double>(request.tokens());
  if (request.has_ttft_ns()) sample.ttft_ns = static_cast<double>(request.ttft_ns());
  sample.has_phases = true;
  for (int i = 0; i < request.ttft_phases_ns_size(); ++i)
    sample.ttft_phases[static_cast<size_t>(i)] = static_cast<double>(request.ttft_phases_ns(i));
  for (const v1::Gap& gap : request.gaps()) {
    const uint32_t tokens = std::max(gap.n_new(), 1u);
    sample.gaps_ns.insert(sample.gaps_ns.end(), std::min(tokens, 1024u), static_cast<double>(gap.gap_ns()) / tokens);
    if (gap.has_stall_excess_ns()) ++sample.stalls;
    for (int i = 0; i < gap.phases_ns_size(); ++i)
      sample.gap_phases[static_cast<size_t>(i)] += static_cast<double>(gap.phases_ns(i));
  }
  return sample;
}

std::map<std::string, std::string> ConditionsOf(const v1::Conditions& conditions) {
  std::map<std::string, std::string> out;
  for (const auto& [key, value] : conditions.labels()) out["label " + key] = value;
  std::vector<std::string> hosts(conditions.hosts().begin(), conditions.hosts().end());
  std::sort(hosts.begin(), hosts.end());
  out["host"] = absl::StrJoin(hosts, ", ");
  out["slowtoken"] = absl::StrJoin(conditions.writers(), ", ");
  out["graph level"] = conditions.graph_level();
  if (conditions.cupti_version() != 0) out["CUPTI"] = absl::StrCat(conditions.cupti_version());
  return out;
}

RunSample ToRun(const v1::Report& report) {
  RunSample run;
  uint64_t first = ~uint64_t{0}, last = 0;
  for (const v1::RequestReport& request : report.requests()) {
    run.requests.push_back(ToSample(request));
    run.finishes[report::FinishText(request)] += 1;
    if (request.has_finding()) run.slow_causes[report::CauseText(request.finding())] += 1;
    first = std::min(first, request.arrival_ns());
    last = std::max(last, request.arrival_ns() + request.e2e_ns());
  }
  run.seconds = last > first ? static_cast<double>(last - first) / 1e9 : 0;
  run.judged_by = report::LevelWords(report.levels());
  for (const v1::Stall& stall : report.stalls()) run.stall_causes[report::CauseText(stall.finding())] += 1;
  for (const v1::KernelReport& kernel : report.kernels())
    run.kernels[kernel.name()] = {static_cast<double>(kernel.count()), static_cast<double>(kernel.total_ns())};
  run.conditions = ConditionsOf(report.conditions());
  run.pseudonyms = {"host"};
  run.pseudonym_keys = absl::StrJoin(report.conditions().key_ids(), ", ");
  return run;
}

bool IsClientLog(const std::string& path) { return absl::EndsWith(path, ".jsonl"); }

absl::StatusOr<RunSample> ReadTraces(const RunName& name, const AskedLevels& levels, const char* verb) {
  absl::StatusOr<std::unique_ptr<TracePass>> pass =
      TracePass::Open({.paths = {name.path}, .run = name.run, .run_option = name.option}, verb);
  if (!pass.ok()) return pass.status();
  report::Options contents{.gaps = true};
  const absl::StatusOr<v1::Report> report = ReadReport(**pass, contents, levels, verb);
  if (!report.ok()) return report.status();
  return ToRun(*report);
}

// One line of a client's log; false where it is none.
bool AddClientLine(const json& line, RunSample& run, double* first, double* last) {
  if (!line.is_object() || !line.contains("send") || !line["send"].is_number()) return false;
  const double send = line["send"].get<double>();
  RequestSample sample;
  const int status = line.value("status", 200);
  const std::string finish = line.value("finish", "");
  sample.failed = status != 200 || finish == "abort" || finish == "error" || finish == "rejected";
  std::vector<double> chunks;
  if (line.contains("chunks") && line["chunks"].is_array()) {
    for (const json& chunk : line["chunks"]) {
      if (chunk.is_number()) chunks.push_back(chunk.get<double>());
    }
  }
  sample.tokens = line.contains("tokens") && line["tokens"].is_number() ? line["tokens"].get<double>()
                                                                        : static_cast<double>(chunks.size());
  if (!chunks.empty()) sample.ttft_ns = chunks.front() - send;
  for (size_t i = 1; i < chunks.size(); ++i) sample.gaps_ns.push_back(chunks[i] - chunks[i - 1]);
  run.finishes[finish.empty() ? absl::StrCat("status ", status) : finish] += 1;
  *first = run.requests.empty() ? send : std::min(*first, send);
  *last = std::max(*last, chunks.empty() ? send : chunks.back());
  run.requests.push_back(std::move(sample));
  return true;
}

absl::StatusOr<RunSample> ReadClientLog(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": cannot be opened"));
  RunSample run;
  double first = 0, last = 0;
  size_t number = 0;
  for (std::string text; std::getline(file, text);) {
    ++number;
    if (text.empty()) continue;
    const json line = json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!AddClientLine(line, run, &first, &last)) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ":", number, ": no line of a client's log; it needs a number `send` and a list `chunks`"));
    }
  }
  run.seconds = (last - first) / 1e9;
  return run;
}

// What would be read, and of which runs there are traces.
absl::StatusOr<reader::TraceChoice> Choose(const RunName& name) {
  if (!IsClientLog(name.path)) return reader::ChooseTraces({name.path}, name.run, name.option);
  reader::TraceChoice log;
  log.paths = {name.path};
  if (name.run.empty()) return log;
  return absl::FailedPreconditionError(
      absl::StrCat(name.option, ": ", name.path, " is a client's log, which is of one run; leave the option out"));
}

std::string HowToNameTwo(const RunName& a, const RunName& b, const reader::TraceChoice& choice) {
  if (choice.runs.size() < 2) return "give another file or directory as one of them";
  return absl::StrCat("name two of the ", choice.runs.size(), " runs there: ", a.option, "=", choice.runs[1], " ",
                      b.option, "=", choice.runs[0]);
}

}  // namespace

absl::Status AreApart(const RunName& a, const RunName& b) {
  const absl::StatusOr<reader::TraceChoice> of_a = Choose(a);
  if (!of_a.ok()) return of_a.status();
  const absl::StatusOr<reader::TraceChoice> of_b = Choose(b);
  if (!of_b.ok()) return of_b.status();
  for (const std::string& one : of_a->paths) {
    const auto same = std::find_if(of_b->paths.begin(), of_b->paths.end(), [&](const std::string& other) {
      std::error_code error;
      return std::filesystem::equivalent(one, other, error);
    });
    if (same == of_b->paths.end()) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("A and B are the same: both would read ", one, "; ", HowToNameTwo(a, b, *of_a)));
  }
  return absl::OkStatus();
}

absl::StatusOr<RunSample> ReadRun(const RunName& name, const AskedLevels& levels, const char* verb) {
  absl::StatusOr<RunSample> run = IsClientLog(name.path) ? ReadClientLog(name.path) : ReadTraces(name, levels, verb);
  if (run.ok()) run->name = name.run.empty() ? name.path : absl::StrCat(name.path, " (run ", name.run, ")");
  return run;
}

absl::StatusOr<TwoRuns> ReadTwoRuns(const RunName& a, const RunName& b, const AskedLevels& levels, const char* verb) {
  absl::StatusOr<RunSample> of_a = ReadRun(a, levels, verb);
  if (!of_a.ok()) return of_a.status();
  absl::StatusOr<RunSample> of_b = ReadRun(b, levels, verb);
  if (!of_b.ok()) return of_b.status();
  const bool one_measure = of_a->judged_by == of_b->judged_by || of_a->judged_by.empty() || of_b->judged_by.empty();
  if (one_measure) return TwoRuns{*std::move(of_a), *std::move(of_b)};
  Note(verb,
       "the runs were started with different levels (--slo), so both are judged by what is usual in each; give "
       "--slo to judge them by the same");
  return ReadTwoRuns(a, b, {.levels = levels.levels, .none = true}, verb);
}

}  // namespace slowtoken::cli
