// slowtoken report TRACE…: what the traces show, as text, JSON or an HTML page.
#include <absl/strings/str_cat.h>

#include "html_report.h"
#include "incomplete.h"
#include "output_file.h"
#include "output_style.h"
#include "report/definitions.h"
#include "report/html/page.h"
#include "report/json.h"
#include "report/text.h"
#include "service_levels.h"
#include "trace_pass.h"
#include "trace_report.h"
#include "verb_app.h"
#include "why_arguments.h"

namespace slowtoken::cli {
namespace {

constexpr Verb kReportVerb = {"report",
                              "Explains what traces show. TRACE is a file or a directory (all its processes).", Report};
constexpr const char* kReportExamples =
    "  slowtoken report traces\n"
    "  slowtoken report traces --slo=ttft:500ms,itl:50ms\n"
    "  slowtoken report traces --request chatcmpl-123 --key $SLOWTOKEN_KEY\n"
    "  slowtoken report traces --format=json --iterations -o report.json\n"
    "  slowtoken report traces --format=html -o report.html       a page for a browser, without a network\n";
constexpr const char* kNoPage =
    "this slowtoken was built without the HTML report: run tools/dev/fetch-uplot, configure with "
    "-DSLOWTOKEN_BUILD_PAGE=ON and build again, or take --format=json";

struct ReportOptions {
  TracePass::Input input;
  std::string format = "text";
  std::string out = "-";
  bool iterations = false;
  std::string slo;
  std::string definition;
  std::string request;
  std::string key;
};

void AddOptions(CLI::App& app, ReportOptions& options) {
  TracePass::AddOptions(app, options.input);
  app.add_option("--format", options.format, "text, json or html")
      ->check(CLI::IsMember({"text", "json", "html"}))
      ->capture_default_str();
  app.add_option("-o", options.out, "write to FILE instead of the terminal; `-` for the terminal")->type_name("FILE");
  app.add_flag("--iterations", options.iterations, "list every iteration");
  app.add_option("--slo", options.slo, kSloHelp)->type_name("LEVELS");
  app.add_option("--definition", options.definition, "also give TTFT, ITL and TPOT as this tool defines them")
      ->check(CLI::IsMember({"vllm", "sglang", "trtllm", "genai-perf", "mlperf"}));
  app.add_option("--request", options.request, "this request alone, by its clear id or its pseudonym")->type_name("ID");
  app.add_option("--key", options.key, "pseudonym key of the run (default: SLOWTOKEN_KEY)")->type_name("HEX");
}

int Write(const v1::Report& report, const ReportOptions& options, const report::Options& contents,
          report::html::PageEvents& page_events, OutputFile& out) {
  if (options.format == "json") {
    report::WriteJson(report, contents, out.stream());
  } else if (options.format == "html") {
    const absl::Status read = WriteHtmlReport(options.input, LevelsOf(contents), report, page_events, out.stream());
    if (!read.ok()) return Fail("report", read, kUnreadable);
  } else {
    out.stream() << report::WriteText(report, contents, options.out == "-" ? OutputStyle() : report::TextStyle());
  }
  const absl::Status written = out.Commit();
  return written.ok() ? kDone : Fail("report", written, kUnreadable);
}

}  // namespace

int Report(const Arguments& arguments) {
  ReportOptions options;
  VerbApp app(kReportVerb, kReportExamples);
  AddOptions(app, options);
  if (auto code = app.Parse(arguments)) return *code;
  const bool is_page = options.format == "html";
  if (is_page && !report::html::IsAvailable()) return Fail("report", kNoPage, kUsage);
  const absl::StatusOr<AskedLevels> levels = ParseAskedLevels(options.slo);
  if (!levels.ok()) return Fail("report", levels.status(), kUsage);
  report::Options contents{.gaps = options.format == "json" || !options.definition.empty(),
                           .iterations = options.iterations};
  const std::string why = WhyCommand(options.input.paths, options.input.run, options.input.rules, options.slo);
  contents.why = why;
  report::html::PageEvents page_events(contents);
  absl::StatusOr<std::unique_ptr<TracePass>> pass = TracePass::Open(options.input, "report");
  if (!pass.ok()) return Fail("report", pass.status(), kUnreadable);
  if (!options.request.empty()) {
    const absl::StatusOr<record::RequestId> id = FindRequest(**pass, options.request, options.key, "report");
    if (!id.ok()) return Fail("report", id.status(), kUsage);
    contents.only = *id;
  }
  absl::StatusOr<std::unique_ptr<OutputFile>> out = OutputFile::Open(options.out, (*pass)->traces().paths());
  if (!out.ok()) return Fail("report", out.status(), absl::IsInvalidArgument(out.status()) ? kUsage : kUnreadable);
  absl::StatusOr<v1::Report> report = ReadReport(**pass, contents, *levels, "report", is_page ? &page_events : nullptr);
  if (!report.ok()) return Fail("report", report.status(), kUnreadable);
  if (contents.only && report->requests().empty())
    return Fail("report",
                absl::StrCat("no request ", options.request, " is in these traces", AndIncomplete((*pass)->traces())),
                kNo);
  if (const auto definition = report::DefinitionOf(options.definition); definition && !contents.only)
    *report->mutable_by_definition() = report::ByDefinition(*report, *definition);
  pass->reset();  // a page reads them once more
  return Write(*report, options, contents, page_events, **out);
}

}  // namespace slowtoken::cli
