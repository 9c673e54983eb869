// slowtoken why [TRACE…] REQUEST [TOKEN]: the timeline and the cause of one slow request or token.
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <iostream>

#include "incomplete.h"
#include "report/waiters.h"
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
  bool all = false;
};

// The first reading: the report about the one request, who waited for it, and what graphs were captured in.
struct FirstReading {
  explicit FirstReading(record::RequestId req) : waiters(req) {}
  v1::Report report;
  report::Waiters waiters;
  analysis::GraphPaths paths;
  record::TimeNs trace_end = 0;
  std::string missing;  // of the traces, for the end of a message
};

record::TimeNs EndOf(const reader::TraceSet& traces) {
  record::TimeNs end = 0;
  for (const reader::ProcessInfo& process : traces.processes()) end = std::max(end, process.last_watermark);
  return end;
}

report::Moment::Window WindowOf(const FirstReading& first, const report::Question& question, record::RequestId req) {
  const v1::RequestReport& request = first.report.requests(0);
  const uint64_t origin = first.report.origin().monotonic_ns();
  const report::Part part = report::PartOf(request, question);
  report::Moment::Window window{origin + part.start_ns, origin + part.end_ns, req};
  const bool goes_on = question.first_token && !request.has_ttft_ns() && !request.ended();
  if (goes_on) window.end = std::max(window.end, first.trace_end);
  return window;
}

report::WhyOptions WritingOf(const WhyOptions& options) {
  const TracePass::Input& input = options.input;
  return {.all = options.all, .command = WhyCommand(input.paths, input.run, input.rules, options.slo)};
}

int Explain(const WhyOptions& options, const FirstReading& first, record::RequestId req, const ServiceLevels& levels) {
  const v1::RequestReport& request = first.report.requests(0);
  report::Question question = report::WorstOf(request);
  if (options.token != 0) question = {.first_token = options.token == 1, .n = options.token};
  if (!question.first_token && report::GapOf(request, question.n) == nullptr)
    return Fail("why",
                absl::StrCat("token ", question.n, " was not seen: the request has ", request.tokens(), " tokens",
                             first.missing),
                kNo);
  // Read once more, now that it is known what to look at.
  TracePass::Input input = options.input;
  input.again = true;
  absl::StatusOr<std::unique_ptr<TracePass>> pass = TracePass::Open(input, "why");
  if (!pass.ok()) return Fail("why", pass.status(), kUnreadable);
  report::Moment moment((*pass)->traces().dictionary(), WindowOf(first, question, req), first.paths);
  (*pass)->TellThreads(moment);
  if (absl::Status read = ReadMoments(**pass, moment, levels, "why"); !read.ok()) return Fail("why", read, kUnreadable);
  std::cout << report::WhyText(first.report, question, moment, first.waiters, WritingOf(options));
  return kDone;
}

int Answer(const WhyOptions& options, const AskedLevels& levels) {
  absl::StatusOr<std::unique_ptr<TracePass>> pass = TracePass::Open(options.input, "why");
  if (!pass.ok()) return Fail("why", pass.status(), kUnreadable);
  const absl::StatusOr<record::RequestId> req = FindRequest(**pass, options.request, options.key, "why");
  if (!req.ok()) return Fail("why", req.status(), kUsage);
  report::Options contents{.gaps = true, .only = *req};
  FirstReading first(*req);
  absl::StatusOr<v1::Report> report = ReadReport(**pass, contents, levels, "why", &first.waiters, &first.paths);
  if (!report.ok()) return Fail("why", report.status(), kUnreadable);
  first.report = *std::move(report);
  first.trace_end = EndOf((*pass)->traces());
  first.missing = AndIncomplete((*pass)->traces());
  if (first.report.requests().empty())
    return Fail("why", absl::StrCat("no request ", options.request, " is in these traces", first.missing), kNo);
  pass->reset();
  return Explain(options, first, *req, LevelsOf(contents));
}

}  // namespace

int Why(const Arguments& arguments) {
  WhyOptions options;
  std::vector<std::string> words;  // which is which is found out afterwards
  VerbApp app(kWhyVerb, kWhyExamples);
  app.add_option("REQUEST", words,
                 "[TRACE…] REQUEST [TOKEN]. TRACE: files, or a directory with all processes of a run (default: the "
                 "newest run in the default place of `slowtoken run`). REQUEST: its clear id, its pseudonym as reports "
                 "print it, or as much of it as no other begins with. TOKEN: which one, from 1 (default: the worst)")
      ->type_name("");
  TracePass::AddReadingOptions(app, options.input);
  app.add_option("--slo", options.slo, kSloHelp)->type_name("LEVELS");
  app.add_option("--key", options.key, "pseudonym key of the run (default: SLOWTOKEN_KEY)")->type_name("HEX");
  app.add_flag("--all", options.all, "show every row of every table");
  if (auto code = app.Parse(arguments)) return *code;
  absl::StatusOr<WhyArguments> asked = ParseWhyArguments(std::move(words));
  if (!asked.ok()) return Fail("why", asked.status(), absl::IsNotFound(asked.status()) ? kUnreadable : kUsage);
  options.input.paths = std::move(asked->paths);
  options.request = std::move(asked->request);
  options.token = asked->token;
  const absl::StatusOr<AskedLevels> levels = ParseAskedLevels(options.slo);
  if (!levels.ok()) return Fail("why", levels.status(), kUsage);
  return Answer(options, *levels);
}

}  // namespace slowtoken::cli
