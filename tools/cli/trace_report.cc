#include "trace_report.h"

#include <algorithm>
#include <optional>

#include "analysis/trace_analysis.h"
#include "report/report_builder.h"
#include "request_key.h"

namespace slowtoken::cli {

absl::StatusOr<v1::Report> ReadReport(TracePass& pass, report::Options& contents, const ServiceLevels& levels,
                                      const char* verb, record::EventVisitor* also, analysis::GraphPaths* paths) {
  const reader::TraceSet& traces = pass.traces();
  contents.slo_ttft_ns = levels.ttft_ns;
  contents.slo_itl_ns = levels.itl_ns;
  contents.graph_launch_level = std::any_of(traces.processes().begin(), traces.processes().end(),
                                            [](const reader::ProcessInfo& process) { return !process.graph_nodes; });
  report::ReportBuilder builder(contents);
  analysis::TraceAnalysis analysis(traces.dictionary());
  pass.Tell(analysis);
  std::optional<analysis::Tee<report::ReportBuilder, record::EventVisitor>> both;
  if (also != nullptr) both.emplace(builder, *also);
  analysis::SummaryChoice choice(traces.processes(), both ? static_cast<record::EventVisitor&>(*both) : builder);
  analysis::Tee events(analysis, choice.recorded());
  if (absl::Status read = pass.Run(events, choice.computed(), levels, verb); !read.ok()) return read;
  analysis.Finish();
  choice.Finish();
  if (paths != nullptr) *paths = {analysis.captured_ranges(), traces.dictionary()};
  return builder.Build(analysis, traces.processes(), {&pass.losses(), &traces.dictionary_losses()}, pass.notes());
}

absl::StatusOr<record::RequestId> FindRequest(const TracePass& pass, const std::string& id, const std::string& key) {
  const std::optional<record::RequestId> clear = pass.FindClearId(id);
  if (clear) return *clear;
  return FindRequestId(id, key, pass.traces().processes());
}

}  // namespace slowtoken::cli
