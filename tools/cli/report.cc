// slowtoken report TRACE…: what the traces show, as text or JSON.
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <unistd.h>

#include <fstream>
#include <iostream>

#include "analysis/summary_choice.h"
#include "analysis/tee.h"
#include "analysis/trace_analysis.h"
#include "report/json.h"
#include "report/report_builder.h"
#include "report/text.h"
#include "request_key.h"
#include "service_levels.h"
#include "trace_pass.h"
#include "verb.h"

namespace slowtoken::cli {
namespace {

constexpr Verb kVerb = {"report", "Explains what traces show. TRACE is a file or a directory (all its processes).",
                        Report};
constexpr const char* kExamples =
    "  slowtoken report traces\n"
    "  slowtoken report traces --slo=ttft:500ms,itl:50ms\n"
    "  slowtoken report traces --request chatcmpl-123 --key $SLOWTOKEN_KEY\n"
    "  slowtoken report traces --format=json --iterations -o report.json\n";

struct ReportOptions {
  std::vector<std::string> traces;
  std::string format = "text";
  std::string out;
  bool iterations = false;
  std::string slo;
  std::string request;
  std::string key;
};

void AddOptions(CLI::App& app, ReportOptions& options) {
  app.add_option("TRACE", options.traces, "trace files or directories")->required();
  app.add_option("--format", options.format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app.add_option("-o", options.out, "write to FILE instead of the terminal")->type_name("FILE");
  app.add_flag("--iterations", options.iterations, "list every iteration");
  app.add_option("--slo", options.slo, "what counts as slow, such as ttft:500ms,itl:50ms");
  app.add_option("--request", options.request, "this request alone, by its clear id or its pseudonym")->type_name("ID");
  app.add_option("--key", options.key, "pseudonym key of the run (default: SLOWTOKEN_KEY)")->type_name("HEX");
}

int Write(const v1::Report& report, const ReportOptions& options, const report::Options& contents) {
  std::ofstream file;
  if (!options.out.empty()) {
    file.open(options.out, std::ios::binary | std::ios::trunc);
    if (!file)
      return Fail("report", absl::StrCat("cannot write ", options.out, "; give -o a file that can be written"),
                  kUnreadable);
  }
  std::ostream& out = options.out.empty() ? std::cout : file;
  if (options.format == "json") {
    report::WriteJson(report, contents, out);
  } else {
    out << report::WriteText(report, contents, {.colour = options.out.empty() && isatty(STDOUT_FILENO) == 1});
  }
  out.flush();
  if (!out)
    return Fail("report",
                absl::StrCat("cannot write ", options.out.empty() ? "the output" : options.out, "; is the disk full?"),
                kUnreadable);
  return kDone;
}

}  // namespace

int Report(const Arguments& arguments) {
  ReportOptions options;
  VerbApp app(kVerb, kExamples);
  AddOptions(app, options);
  if (auto code = app.Parse(arguments)) return *code;
  const absl::StatusOr<ServiceLevels> levels = ParseServiceLevels(options.slo);
  if (!levels.ok()) return Fail("report", levels.status(), kUsage);
  report::Options contents{.gaps = options.format == "json",
                           .iterations = options.iterations,
                           .slo_ttft_ns = levels->ttft_ns,
                           .slo_itl_ns = levels->itl_ns};

  absl::StatusOr<std::unique_ptr<TracePass>> pass = TracePass::Open(options.traces);
  if (!pass.ok()) return Fail("report", pass.status(), kUnreadable);
  const reader::TraceSet& traces = (*pass)->traces();
  if (!options.request.empty()) {
    const absl::StatusOr<record::RequestId> id = FindRequestId(options.request, options.key, traces.processes());
    if (!id.ok()) return Fail("report", id.status(), kUsage);
    contents.only = *id;
  }
  contents.graph_launch_level = std::any_of(traces.processes().begin(), traces.processes().end(),
                                            [](const reader::ProcessInfo& process) { return !process.graph_nodes; });
  report::ReportBuilder builder(contents);
  analysis::TraceAnalysis analysis(traces.dictionary());
  analysis::SummaryChoice choice(traces.processes(), builder);
  analysis::Tee events(analysis, choice.recorded());
  if (absl::Status read = (*pass)->Run(events, choice.computed(), *levels, "report"); !read.ok())
    return Fail("report", read, kUnreadable);
  analysis.Finish();
  choice.Finish();
  return Write(builder.Build(analysis, traces.processes(), {&(*pass)->losses(), &traces.dictionary_losses()}), options,
               contents);
}

}  // namespace slowtoken::cli
