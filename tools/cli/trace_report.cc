#include "trace_report.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <optional>

#include "analysis/trace_analysis.h"
#include "incomplete.h"
#include "report/report_builder.h"
#include "request_key.h"

namespace slowtoken::cli {

absl::StatusOr<v1::Report> ReadReport(TracePass& pass, report::Options& contents, const AskedLevels& asked,
                                      const char* verb, record::EventVisitor* also, analysis::GraphPaths* paths) {
  const reader::TraceSet& traces = pass.traces();
  const JudgingLevels by = JudgeBy(asked, LevelsOfRun(traces));
  contents.slo_ttft_ns = by.levels.ttft_ns;
  contents.slo_itl_ns = by.levels.itl_ns;
  contents.slo_ttft_of_run = by.ttft_of_run;
  contents.slo_itl_of_run = by.itl_of_run;
  contents.graph_launch_level = std::any_of(traces.processes().begin(), traces.processes().end(),
                                            [](const reader::ProcessInfo& process) { return !process.graph_nodes; });
  report::ReportBuilder builder(contents);
  analysis::TraceAnalysis analysis(traces.dictionary());
  pass.Tell(analysis);
  pass.TellThreads(analysis);
  std::optional<analysis::Tee<report::ReportBuilder, record::EventVisitor>> both;
  if (also != nullptr) both.emplace(builder, *also);
  analysis::SummaryChoice choice(traces.processes(), both ? static_cast<record::EventVisitor&>(*both) : builder);
  analysis::Tee events(analysis, choice.recorded());
  if (absl::Status read = pass.Run(events, choice.computed(), by.levels, verb); !read.ok()) return read;
  analysis.Finish();
  choice.Finish();
  if (paths != nullptr) *paths = {analysis.captured_ranges(), traces.dictionary()};
  return builder.Build(analysis, traces.processes(), {&pass.losses(), &traces.dictionary_losses()}, pass.notes());
}

absl::StatusOr<record::RequestId> FindRequest(TracePass& pass, const std::string& id, const std::string& key,
                                              const char* verb) {
  absl::StatusOr<record::RequestId> whole = FindRequestId(id, key, pass.traces().processes());
  if (!whole.ok() && !key.empty()) return whole;
  RequestSearch search(id);
  pass.Search(search);
  if (search.exact()) return *search.exact();
  if (whole.ok() && search.Saw(*whole)) return whole;
  const std::map<record::RequestId, std::string> begin = search.Beginning();
  if (begin.empty() && whole.ok()) return whole;
  if (begin.empty()) {
    if (absl::Status read = pass.Survey(search, verb); !read.ok()) return read;
    return absl::InvalidArgumentError(absl::StrCat(whole.status().message(), AndIncomplete(pass.traces())));
  }
  if (begin.size() == 1) return begin.begin()->first;
  constexpr size_t kMostNamed = 4;
  std::vector<std::string> names;
  names.reserve(begin.size());
  for (const auto& [req, name] : begin) names.push_back(name);
  if (names.size() > kMostNamed) names.resize(kMostNamed);
  return absl::InvalidArgumentError(
      absl::StrCat("'", id, "' is the beginning of ", begin.size(), " requests: ", absl::StrJoin(names, ", "),
                   begin.size() > kMostNamed ? ", …" : "", "; give more of the one that is meant"));
}

}  // namespace slowtoken::cli
