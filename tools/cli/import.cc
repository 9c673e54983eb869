// slowtoken import FILE… -o TRACE: traces of other tools as traces of ours.
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "import/kineto_import.h"
#include "places.h"
#include "progress_line.h"
#include "report/units.h"
#include "run_folders.h"
#include "trace/file_sink.h"
#include "verb_app.h"

namespace slowtoken::cli {
namespace {

namespace fs = std::filesystem;

constexpr Verb kImportVerb = {
    "import",
    "Makes traces of other tools' traces: of PyTorch's profiler (Kineto, Chrome-trace JSON, also .gz). Several files, "
    "one "
    "a rank, become one run. Afterwards every other verb works on TRACE; docs/IMPORT.md says what becomes what.",
    Import};
constexpr const char* kImportExamples =
    "  slowtoken import worker0.pt.trace.json.gz -o worker0.stt\n"
    "  slowtoken import traces/rank*.json.gz -o ranks     then: slowtoken report ranks\n";

// Where the traces go: into the file that the user named, or into files of their own in a folder.
class Target {
 public:
  Target(std::string path, bool folder) : path_(std::move(path)), folder_(folder) {}

  // Checks that nothing is in the way.
  absl::Status Check(const std::vector<std::string>& inputs, const std::string& run_id) const {
    for (const std::string& input : inputs) {
      std::error_code error;
      if (fs::equivalent(input, path_, error) && !fs::is_directory(path_, error)) {
        return absl::InvalidArgumentError(absl::StrCat("-o ", path_, " is one of the files being read; give another"));
      }
    }
    if (!folder_) return absl::OkStatus();
    if (absl::Status made = MakeOutputFolder(path_); !made.ok()) return made;
    if (OtherRunsIn(path_, run_id) == 0) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("-o ", path_, " holds traces already; give a new or an empty folder"));
  }

  // A new place for the trace of one process, to be written and then kept.
  std::string Begin(const std::string& role, uint64_t pid) {
    const std::string unique = RandomHex(4).value_or("00000000");
    char clean[trace::kMaxFileRole + 1];
    trace::FileRole(role, clean);
    final_ = folder_ ? (fs::path(path_) / absl::StrCat(clean, "-", pid, "-", unique, ".stt")).string() : path_;
    return written_ = absl::StrCat(final_, ".", unique, ".part");
  }
  absl::Status Keep() const {
    std::error_code error;
    fs::rename(written_, final_, error);
    if (!error) return absl::OkStatus();
    fs::remove(written_, error);
    return absl::PermissionDeniedError(absl::StrCat("cannot write ", final_, "; give -o a place that can be written"));
  }
  const std::string& final_path() const { return final_; }

 private:
  std::string path_;
  bool folder_;
  std::string written_, final_;
};

absl::Status ImportOne(const std::string& file, Target& target, importing::ImportRun& run) {
  ProgressLine line("import");
  const auto place = [&](const std::string& role, uint64_t pid) -> absl::StatusOr<std::string> {
    return target.Begin(role, pid);
  };
  const absl::StatusOr<importing::ImportedTrace> imported =
      importing::ImportKineto(file, place, run, [&](uint64_t done, uint64_t total) { line.Show(done, total); });
  line.Clear();
  if (!imported.ok()) return imported.status();
  if (absl::Status kept = target.Keep(); !kept.ok()) return kept;
  for (const std::string& note : imported->notes) Note("import", absl::StrCat(file, ": ", note));
  std::cout << target.final_path() << ": " << imported->role << " " << imported->pid << ", "
            << report::WithCommas(imported->events) << " events of " << report::Bytes(imported->json_bytes) << " in "
            << report::Bytes(imported->trace_bytes) << std::endl;
  return absl::OkStatus();
}

// Of several files those that can be read are imported.
int ImportAll(const std::vector<std::string>& files, Target& target, importing::ImportRun& run) {
  size_t failed = 0;
  for (const std::string& file : files) {
    const absl::Status status = ImportOne(file, target, run);
    if (status.ok()) continue;
    if (files.size() == 1) return Fail("import", status, kUnreadable);
    Note("import", std::string(status.message()));
    ++failed;
  }
  if (failed == 0) return kDone;
  return Fail("import", absl::StrCat(failed, " of ", files.size(), " files could not be imported"), kUnreadable);
}

}  // namespace

int Import(const Arguments& arguments) {
  std::vector<std::string> files;
  std::string out;
  VerbApp app(kImportVerb, kImportExamples);
  app.add_option("FILE", files, "traces of other tools")->required();
  app.add_option("-o", out, "the trace to write; with several files, or if it is a folder, a folder of traces")
      ->type_name("TRACE")
      ->required();
  if (auto code = app.Parse(arguments)) return *code;
  const absl::StatusOr<std::string> id = RandomHex(8);
  if (!id.ok()) return Fail("import", id.status(), kUnreadable);
  importing::ImportRun run{.id = *id, .writer_version = SLOWTOKEN_VERSION};
  Target target(out, files.size() > 1 || fs::is_directory(out) || out.ends_with('/'));
  if (absl::Status ready = target.Check(files, run.id); !ready.ok()) return Fail("import", ready, kUsage);
  return ImportAll(files, target, run);
}

}  // namespace slowtoken::cli
