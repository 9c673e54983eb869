#include "old_runs.h"

#include <absl/strings/str_cat.h>
#include <absl/time/clock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "control_client.h"
#include "manifest.h"
#include "report/units.h"
#include "verb.h"

namespace slowtoken::cli {
namespace {

namespace fs = std::filesystem;

// What a run's folder holds.
struct Content {
  uint64_t bytes = 0;
  absl::Time newest = absl::InfinitePast();
  bool traces = false;
  bool listening = false;
};

bool OwnFolder(const fs::path& path, struct stat& info) {
  return lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid();
}

// 16 hexadecimal digits: nothing else below the place is a run's.
bool IsRunId(const std::string& name) {
  return name.size() == 16 && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Content Look(const fs::path& folder) {
  Content content;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
  for (; !error && it != end; it.increment(error)) {
    struct stat info {};
    if (lstat(it->path().c_str(), &info) != 0) continue;
    if (S_ISSOCK(info.st_mode)) content.listening = content.listening || SomebodyListens(it->path());
    if (!S_ISREG(info.st_mode)) continue;
    content.bytes += static_cast<uint64_t>(info.st_size);
    content.newest = std::max(content.newest, absl::TimeFromTimespec(info.st_mtim));
    content.traces = content.traces || it->path().extension() == ".stt";
  }
  return content;
}

// A run that is over, and whether it left nothing; nullopt for one that is not.
struct Over {
  OldRun run;
  bool empty = false;
};

std::optional<Over> RunThatIsOver(const fs::path& folder, absl::Time now, const CleaningRule& rule) {
  struct stat info {};
  if (!IsRunId(folder.filename().string()) || !OwnFolder(folder, info)) return std::nullopt;
  const Content content = Look(folder);
  const absl::Time newest = std::max(content.newest, absl::TimeFromTimespec(info.st_mtim));
  if (content.listening || now - newest < rule.quiet) return std::nullopt;
  const ManifestState state = ReadManifest(folder);
  if (state.alive || state.has_traces) return std::nullopt;  // traces elsewhere need the key that lies here
  return Over{{folder, content.bytes, newest, ""}, !content.traces};
}

}  // namespace

std::vector<OldRun> RunsToRemove(const fs::path& base, const fs::path& own, absl::Time now, const CleaningRule& rule) {
  std::vector<Over> over;
  std::error_code error;
  for (fs::directory_iterator it(base, error), end; !error && it != end; it.increment(error)) {
    if (it->path() == own) continue;
    if (std::optional<Over> run = RunThatIsOver(it->path(), now, rule)) over.push_back(*std::move(run));
  }
  std::sort(over.begin(), over.end(), [](const Over& a, const Over& b) { return a.run.newest < b.run.newest; });
  uint64_t bytes = 0;
  for (const Over& one : over) bytes += one.run.bytes;
  std::vector<OldRun> removed;
  for (Over& one : over) {
    const bool last = &one == &over.back();
    if (one.empty) {
      one.run.why = "left no trace";
    } else if (now - one.run.newest >= rule.keep) {
      one.run.why = absl::StrCat("older than ", absl::ToInt64Hours(rule.keep) / 24, " days");
    } else if (bytes > rule.most_bytes && !last) {
      one.run.why = absl::StrCat("all together hold more than ", report::Bytes(rule.most_bytes));
    } else {
      continue;
    }
    bytes -= one.run.bytes;
    removed.push_back(std::move(one.run));
  }
  return removed;
}

std::string RemoveRuns(const std::vector<OldRun>& runs) {
  uint64_t bytes = 0;
  size_t with_traces = 0;
  for (const OldRun& run : runs) {
    std::error_code error;
    if (fs::remove_all(run.folder, error) == static_cast<uintmax_t>(-1) || error || run.why == "left no trace")
      continue;
    bytes += run.bytes;
    ++with_traces;
  }
  if (with_traces == 0) return "";
  return absl::StrCat("removed ", with_traces, with_traces == 1 ? " old run" : " old runs", " (", report::Bytes(bytes),
                      ") from ", runs.front().folder.parent_path().string());
}

void TidyUp(const char* verb, const fs::path& base, const fs::path& own) {
  const std::string removed = RemoveRuns(RunsToRemove(base, own, absl::Now()));
  if (!removed.empty()) Note(verb, removed);
}

}  // namespace slowtoken::cli
