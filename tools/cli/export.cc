// slowtoken export TRACE --to=perfetto -o OUT: a trace for another tool.
#include <absl/strings/str_cat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "export/perfetto_export.h"
#include "trace_pass.h"
#include "verb.h"

namespace slowtoken::cli {
namespace {

constexpr Verb kVerb = {"export", "Writes traces for another tool. TRACE is a file or a directory (all its processes).",
                        Export};
constexpr const char* kExamples =
    "  slowtoken export traces --to=perfetto -o out.pftrace     then open it in ui.perfetto.dev\n";

int WritePerfetto(const std::vector<std::string>& traces, const std::string& path) {
  absl::StatusOr<std::unique_ptr<TracePass>> pass = TracePass::Open(traces);
  if (!pass.ok()) return Fail("export", pass.status(), kUnreadable);
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out)
    return Fail("export",
                absl::StrCat("cannot write ", path, ": ", strerror(errno), "; give -o a file that can be written"),
                kUnreadable);
  const reader::TraceSet& set = (*pass)->traces();
  exporting::PerfettoExport target(out, set.dictionary(), set.processes());
  if (absl::Status read = (*pass)->Run(target, target.summaries(), {}, "export"); !read.ok())
    return Fail("export", read, kUnreadable);
  const bool written = target.Finish();
  out.close();
  if (!written || !out)
    return Fail("export", absl::StrCat("cannot write all of ", path, "; is the disk full?"), kUnreadable);
  if (target.untimed() != 0) {
    std::fprintf(stderr, "slowtoken export: %llu events without a usable time are not in %s\n",
                 static_cast<unsigned long long>(target.untimed()), path.c_str());
  }
  return kDone;
}

}  // namespace

int Export(const Arguments& arguments) {
  std::vector<std::string> traces;
  std::string to, out;
  VerbApp app(kVerb, kExamples);
  app.add_option("TRACE", traces, "trace files or directories")->required();
  app.add_option("--to", to, "perfetto (more to come in later versions)")
      ->required()
      ->check(CLI::IsMember({"perfetto"}));
  app.add_option("-o", out, "the file to write")->type_name("OUT")->required();
  if (auto code = app.Parse(arguments)) return *code;
  return WritePerfetto(traces, out);
}

}  // namespace slowtoken::cli
