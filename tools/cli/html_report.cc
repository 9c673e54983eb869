#include "html_report.h"

#include "report/html/page.h"
#include "report/process_name.h"
#include "trace_report.h"

namespace slowtoken::cli {
namespace {

std::vector<std::string> NamesOf(const std::vector<reader::ProcessInfo>& processes) {
  std::vector<std::string> names;
  for (const reader::ProcessInfo& process : processes) names.push_back(report::ProcessName(process.role, process.pid));
  return names;
}

}  // namespace

absl::Status WriteHtmlReport(TracePass::Input input, const ServiceLevels& levels, const v1::Report& report,
                             report::html::PageEvents& events, std::ostream& out) {
  const report::html::SlowTokens slow = report::html::FindSlowTokens(report);
  input.again = true;
  absl::StatusOr<std::unique_ptr<TracePass>> pass = TracePass::Open(input, "report");
  if (!pass.ok()) return pass.status();
  const reader::TraceSet& traces = (*pass)->traces();
  report::html::Timelines timelines(traces.dictionary(), report.origin().monotonic_ns(), slow.windows,
                                    NamesOf(traces.processes()));
  if (!slow.windows.empty()) {
    if (absl::Status read = ReadMoments(**pass, timelines, levels, "report"); !read.ok()) return read;
  }
  report::html::WritePage(report::html::PageData(report, events, slow, timelines), out);
  return absl::OkStatus();
}

}  // namespace slowtoken::cli
