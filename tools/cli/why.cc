// slowtoken why [TRACE] REQUEST [TOKEN]: the timeline and the cause of one slow request or token.
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <iostream>

#include "report/why_text.h"
#include "service_levels.h"
#include "trace_pass.h"
#include "trace_report.h"
#include "verb_app.h"
#include "why_arguments.h"

namespace slowtoken::cli {
namespace {

constexpr Verb kWhyVerb = {"why", "Explains one request, or one of its tokens: where its time went, and why.", Why};
constexpr const char* kWhyExamples =
    "  slowtoken why traces 4aa65142dbf5d972\n"
    "  slowtoken why 4aa6 17                          of the newest run in the default place; the beginning is enough\n"
    "  slowtoken why traces chatcmpl-123 17 --key $SLOWTOKEN_KEY\n"
    "  slowtoken why traces chatcmpl-123 1            the first token\n";

struct WhyOptions {
  TracePass::Input input;
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

int Answer(const WhyOptions& options, const AskedLevels& levels) {
  absl::StatusOr<std::unique_ptr<TracePass>> pass = TracePass::Open(options.input, "why");
  if (!pass.ok()) return Fail("why", pass.status(), kUnreadable);
  const absl::StatusOr<record::RequestId> req = FindRequest(**pass, options.request, options.key);
  if (!req.ok()) return Fail("why", req.status(), kUsage);
  report::Options contents{.gaps = true, .only = *req};
  FirstReading first;
  absl::StatusOr<v1::Report> report = ReadReport(**pass, contents, levels, "why", nullptr, &first.paths);
  if (!report.ok()) return Fail("why", report.status(), kUnreadable);
  first.report = *std::move(report);
  if (first.report.requests().empty())
    return Fail("why", absl::StrCat("no request ", options.request, " is in these traces"), kNo);
  pass->reset();
  return Explain(options, first, *req, LevelsOf(contents));
}

}  // namespace

int Why(const Arguments& arguments) {
  WhyOptions options;
  std::string words[3];  // which is which is found out afterwards
  VerbApp app(kWhyVerb, kWhyExamples);
  app.add_option("TRACE", words[0],
                 "a file, or a directory with all processes of a run (default: the newest run in the default place of "
                 "`slowtoken run`)");
  app.add_option("REQUEST", words[1],
                 "needed: its clear id, its pseudonym as reports print it, or as much of it as no other begins with");
  app.add_option("TOKEN", words[2], "which token, from 1 (default: the worst)");
  TracePass::AddReadingOptions(app, options.input);
  app.add_option("--slo", options.slo, kSloHelp)->type_name("LEVELS");
  app.add_option("--key", options.key, "pseudonym key of the run (default: SLOWTOKEN_KEY)")->type_name("HEX");
  if (auto code = app.Parse(arguments)) return *code;
  absl::StatusOr<WhyArguments> asked = ParseWhyArguments({words[0], words[1], words[2]});
  if (!asked.ok()) return Fail("why", asked.status(), absl::IsNotFound(asked.status()) ? kUnreadable : kUsage);
  options.input.paths = std::move(asked->paths);
  options.request = std::move(asked->request);
  options.token = asked->token;
  const absl::StatusOr<AskedLevels> levels = ParseAskedLevels(options.slo);
  if (!levels.ok()) return Fail("why", levels.status(), kUsage);
  return Answer(options, *levels);
}

}  // namespace slowtoken::cli
