// slowtoken diff A B: what changed between two runs, with confidence.
#include <absl/strings/str_cat.h>

#include <algorithm>

#include "analysis/run_comparison.h"
#include "output_file.h"
#include "report/diff_text.h"
#include "run_source.h"
#include "verb_app.h"

namespace slowtoken::cli {
namespace {

constexpr Verb kDiffVerb = {
    "diff",
    "Says what changed from run A to run B: traces, or logs of a load client (.jsonl). Exit code 1 if it is worse.",
    Diff};
constexpr const char* kDiffExamples =
    "  slowtoken diff traces/old traces/new\n"
    "  slowtoken diff old.jsonl new.jsonl --format=json -o diff.json\n"
    "  slowtoken diff traces/old traces/new --fail-on=any\n"
    "  slowtoken diff traces traces --run-a=2c5e --run-b=8e1f       two runs in one folder\n";

struct DiffOptions {
  RunName a{.option = "--run-a"}, b{.option = "--run-b"};
  std::string format = "text", out = "-", fail_on = "worse", slo;
};

bool Fails(const std::vector<analysis::FigureChange>& figures, const std::string& fail_on) {
  return std::any_of(figures.begin(), figures.end(), [&](const analysis::FigureChange& figure) {
    return (fail_on == "worse" && figure.worse()) || (fail_on == "any" && figure.changed);
  });
}

}  // namespace

int Diff(const Arguments& arguments) {
  DiffOptions options;
  VerbApp app(kDiffVerb, kDiffExamples);
  app.add_option("A", options.a.path, "the run before, as a trace, a directory of traces, or a client's log (.jsonl)")
      ->required();
  app.add_option("B", options.b.path, "the run after, as a trace, a directory of traces, or a client's log (.jsonl)")
      ->required();
  app.add_option("--run-a", options.a.run,
                 "of traces of several runs in A: this one, its first digits do (default: the newest)")
      ->type_name("ID");
  app.add_option("--run-b", options.b.run, "the same for B")->type_name("ID");
  app.add_option("--format", options.format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app.add_option("-o", options.out, "write to FILE instead of the terminal; `-` for the terminal")->type_name("FILE");
  app.add_option("--fail-on", options.fail_on, "exit code 1 if a figure is worse, if any changed, or never")
      ->check(CLI::IsMember({"worse", "any", "never"}))
      ->capture_default_str();
  app.add_option(
         "--slo", options.slo,
         "in traces, what counts as slow, such as ttft:500ms,itl:50ms, or `none`: 2.5 times what is usual in each "
         "(default: the --slo that both were started with, else `none`)")
      ->type_name("LEVELS");
  if (auto code = app.Parse(arguments)) return *code;
  const absl::StatusOr<AskedLevels> levels = ParseAskedLevels(options.slo);
  if (!levels.ok()) return Fail("diff", levels.status(), kUsage);
  if (const absl::Status apart = AreApart(options.a, options.b); !apart.ok())
    return Fail("diff", apart, absl::IsFailedPrecondition(apart) ? kUsage : kUnreadable);
  const absl::StatusOr<TwoRuns> runs = ReadTwoRuns(options.a, options.b, *levels, "diff");
  if (!runs.ok()) return Fail("diff", runs.status(), kUnreadable);
  const std::vector<analysis::FigureChange> figures = analysis::CompareRuns(runs->a, runs->b);
  absl::StatusOr<std::unique_ptr<OutputFile>> out = OutputFile::Open(options.out, {options.a.path, options.b.path});
  if (!out.ok()) return Fail("diff", out.status(), absl::IsInvalidArgument(out.status()) ? kUsage : kUnreadable);
  (*out)->stream() << (options.format == "json" ? report::DiffJson(runs->a, runs->b, figures)
                                                : report::DiffText(runs->a, runs->b, figures));
  if (const absl::Status written = (*out)->Commit(); !written.ok()) return Fail("diff", written, kUnreadable);
  return Fails(figures, options.fail_on) ? kNo : kDone;
}

}  // namespace slowtoken::cli
