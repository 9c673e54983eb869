// slowtoken export TRACE --to=perfetto -o OUT: a trace for another tool.
#include <absl/strings/str_cat.h>

#include "analysis/graph_path_survey.h"
#include "export/perfetto_export.h"
#include "incomplete.h"
#include "output_file.h"
#include "service_levels.h"
#include "trace_pass.h"
#include "verb_app.h"

namespace slowtoken::cli {
namespace {

constexpr Verb kExportVerb = {
    "export", "Writes traces for another tool. TRACE is a file or a directory (all its processes).", Export};
constexpr const char* kExportExamples =
    "  slowtoken export traces --to=perfetto -o out.pftrace     then open it in ui.perfetto.dev\n";

int WritePerfetto(const TracePass::Input& input, const std::string& path) {
  absl::StatusOr<std::unique_ptr<TracePass>> pass = TracePass::Open(input, "export");
  if (!pass.ok()) return Fail("export", pass.status(), kUnreadable);
  for (const std::string& engines : (*pass)->notes().engines) Note("export", engines);
  const reader::TraceSet& set = (*pass)->traces();
  absl::StatusOr<std::unique_ptr<OutputFile>> out = OutputFile::Open(path, set.paths());
  if (!out.ok()) return Fail("export", out.status(), absl::IsInvalidArgument(out.status()) ? kUsage : kUnreadable);
  analysis::GraphPathSurvey survey(set.dictionary());
  if (absl::Status read = (*pass)->Survey(survey, "export"); !read.ok()) return Fail("export", read, kUnreadable);
  exporting::PerfettoExport target((*out)->stream(), set.dictionary(), set.processes(), survey.Finish());
  if (absl::Status read = (*pass)->Run(target, target.summaries(), LevelsOfRun(set), "export"); !read.ok())
    return Fail("export", read, kUnreadable);
  target.Finish();
  if (absl::Status written = (*out)->Commit(); !written.ok()) return Fail("export", written, kUnreadable);
  if (target.untimed() != 0) {
    Note("export", absl::StrCat(target.untimed(), " events without a usable time are not in ", path));
  }
  if (const std::string missing = IncompleteText(set); !missing.empty()) Note("export", missing);
  return kDone;
}

}  // namespace

int Export(const Arguments& arguments) {
  TracePass::Input input;
  std::string to, out;
  VerbApp app(kExportVerb, kExportExamples);
  TracePass::AddOptions(app, input);
  app.add_option("--to", to, "perfetto (more to come in later versions)")
      ->required()
      ->check(CLI::IsMember({"perfetto"}));
  app.add_option("-o", out, "the file to write; `-` for the standard output")->type_name("OUT")->required();
  if (auto code = app.Parse(arguments)) return *code;
  return WritePerfetto(input, out);
}

}  // namespace slowtoken::cli
