// slowtoken why TRACE REQUEST [TOKEN]: the timeline and the cause of one slow request or token.
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <iostream>

#include "report/why_text.h"
#include "service_levels.h"
#include "trace_pass.h"
#include "trace_report.h"
#include "verb_app.h"

namespace slowtoken::cli {
namespace {

constexpr Verb kVerb = {"why", "Explains one request, or one of its tokens: where its time went, and why.", Why};
constexpr const char* kExamples =
    "  slowtoken why traces 4aa65142dbf5d972\n"
    "  slowtoken why traces chatcmpl-123 17 --key $SLOWTOKEN_KEY\n"
    "  slowtoken why traces chatcmpl-123 1            the first token\n";

struct WhyOptions {
  TracePass::Input input;
  std::string trace;
  std::string request;
  uint32_t token = 0;
  std::string slo;
  std::string key;
};

// The first reading: the report about the one request, and what graphs were captured in.
struct FirstReading {
  v1::Report report;
  analysis::GraphPaths paths;
};

int Explain(const WhyOptions& options, const FirstReading& first, record::RequestId req, const ServiceLevels& levels) {
  const v1::Report& report = first.report;
  const v1::RequestReport& request = report.requests(0);
  report::Question question = report::WorstOf(request);
  if (options.token != 0) question = {.first_token = options.token == 1, .n = options.token};
  if (!question.first_token && report::GapOf(request, question.n) == nullptr)
    return Fail(
        "why", absl::StrCat("token ", question.n, " was not seen: the request has ", request.tokens(), " tokens"), kNo);
  if (question.first_token && !request.has_ttft_ns())
    return Fail("why", "no first token of this request was seen; slowtoken report --request shows what was", kNo);
  const report::Part part = report::PartOf(request, question);
  // Read once more, now that it is known what to look at.
  TracePass::Input input = options.input;
  input.again = true;
  absl::StatusOr<std::unique_ptr<TracePass>> pass = TracePass::Open(input, "why");
  if (!pass.ok()) return Fail("why", pass.status(), kUnreadable);
  const uint64_t origin = report.origin().monotonic_ns();
  report::Moment moment((*pass)->traces().dictionary(), {origin + part.start_ns, origin + part.end_ns, req},
                        first.paths);
  if (absl::Status read = ReadMoments(**pass, moment, levels, "why"); !read.ok()) return Fail("why", read, kUnreadable);
  std::cout << report::WhyText(report, question, moment);
  return kDone;
}

}  // namespace

int Why(const Arguments& arguments) {
  WhyOptions options;
  VerbApp app(kVerb, kExamples);
  app.add_option("TRACE", options.trace, "a file, or a directory with all processes of a run")->required();
  app.add_option("REQUEST", options.request, "its clear id, or its pseudonym as reports print it")->required();
  app.add_option("TOKEN", options.token, "which token, from 1 (default: the worst)");
  app.add_option("--run", options.input.run, "of several runs in the directory, this one")->type_name("ID");
  app.add_option("--slo", options.slo, "what counts as slow, such as ttft:500ms,itl:50ms");
  app.add_option("--key", options.key, "pseudonym key of the run (default: SLOWTOKEN_KEY)")->type_name("HEX");
  if (auto code = app.Parse(arguments)) return *code;
  options.input.paths = {options.trace};
  const absl::StatusOr<ServiceLevels> levels = ParseServiceLevels(options.slo);
  if (!levels.ok()) return Fail("why", levels.status(), kUsage);
  absl::StatusOr<std::unique_ptr<TracePass>> pass = TracePass::Open(options.input, "why");
  if (!pass.ok()) return Fail("why", pass.status(), kUnreadable);
  const absl::StatusOr<record::RequestId> req = FindRequest(**pass, options.request, options.key);
  if (!req.ok()) return Fail("why", req.status(), kUsage);
  report::Options contents{.gaps = true, .only = *req};
  FirstReading first;
  absl::StatusOr<v1::Report> report = ReadReport(**pass, contents, *levels, "why", nullptr, &first.paths);
  if (!report.ok()) return Fail("why", report.status(), kUnreadable);
  first.report = *std::move(report);
  if (first.report.requests().empty())
    return Fail("why", absl::StrCat("no request ", options.request, " is in these traces"), kNo);
  pass->reset();
  return Explain(options, first, *req, *levels);
}

}  // namespace slowtoken::cli
