#include "reader/trace_choice.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "reader/trace_peek.h"
#include "record/ids.h"

namespace slowtoken::reader {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostProcesses = UINT16_MAX;
constexpr size_t kListedRuns = 5;

struct Found {
  std::string path;
  bool named;  // given by the user, not found in a directory
};

// The trace files of `dir`, and those of its sub-directories, in name order.
absl::Status ListDirectory(const fs::path& dir, bool recurse, std::vector<Found>& found, TraceChoice& choice) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator it(dir, error), end; !error && it != end; it.increment(error))
    entries.push_back(it->path());
  if (error) {
    const std::string text = absl::StrCat(dir.string(), ": cannot be listed: ", error.message());
    if (error == std::errc::permission_denied) return absl::PermissionDeniedError(text);
    return absl::UnavailableError(text);
  }
  std::sort(entries.begin(), entries.end());
  for (const fs::path& entry : entries) {
    if (fs::is_directory(entry, error)) {
      if (!recurse) continue;
      const absl::Status listed = ListDirectory(entry, false, found, choice);
      if (!listed.ok()) choice.unreadable.emplace_back(listed.message());
    } else if (entry.extension() == ".stt") {
      found.push_back({entry.string(), false});
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Found>> FindTraces(const std::vector<std::string>& paths, TraceChoice& choice) {
  std::vector<Found> found;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      found.push_back({path, true});
      continue;
    }
    const size_t before = found.size();
    if (const absl::Status status = ListDirectory(path, true, found, choice); !status.ok()) return status;
    if (found.size() == before) {
      return absl::NotFoundError(absl::StrCat(
          path, ": holds no trace (*.stt); was the program run with slowtoken, and did it use CUDA or NVTX?"));
    }
  }
  if (found.empty()) return absl::InvalidArgumentError("no trace given; name a .stt file or a directory of them");
  if (found.size() > kMostProcesses) {
    return absl::InvalidArgumentError(absl::StrCat(found.size(), " traces are too many; at most ", kMostProcesses));
  }
  return found;
}

// `<role>-<pid>-<hex>` of `<role>-<pid>-<hex>.<number>.stt`.
std::string Stem(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  return name.substr(0, name.find('.'));
}

// Beside others of its process, in a directory.
bool HasSiblings(const Found& one, const std::vector<Found>& all) {
  return !one.named && std::any_of(all.begin(), all.end(), [&](const Found& other) {
    return other.path != one.path && Stem(other.path) == Stem(one.path);
  });
}

absl::StatusOr<std::vector<TracePeek>> PeekAll(const std::vector<Found>& found, TraceChoice& choice) {
  std::vector<TracePeek> peeks;
  for (const Found& one : found) {
    absl::StatusOr<TracePeek> peek = PeekTrace(one.path);
    if (peek.ok() && (peek->has_header || one.named)) {
      peeks.push_back(*std::move(peek));
    } else if (absl::IsDataLoss(peek.status()) && HasSiblings(one, found)) {
      continue;  // begun just when its process was killed
    } else if (one.named || found.size() == 1) {
      return peek.ok() ? absl::DataLossError(absl::StrCat(one.path, ": is damaged: not one chunk can be read"))
                       : peek.status();
    } else {
      choice.unreadable.push_back(peek.ok() ? absl::StrCat(one.path, ": is damaged: not one chunk can be read")
                                            : std::string(peek.status().message()));
    }
  }
  return peeks;
}

// The same file under two names, or in a folder and the folder around it.
void LeaveOutTheSameFile(std::vector<TracePeek>& peeks) {
  std::set<std::pair<uint64_t, uint64_t>> files;
  std::erase_if(peeks, [&](const TracePeek& peek) { return !files.emplace(peek.device, peek.inode).second; });
}

// Run ids, the one that began last first.
std::vector<std::string> RunsByStart(const std::vector<TracePeek>& peeks) {
  std::map<std::string, uint64_t> starts;
  for (const TracePeek& peek : peeks) {
    if (!peek.has_header) continue;
    uint64_t& start = starts[peek.run_id];
    start = std::max(start, peek.start_utc);
  }
  std::vector<std::string> runs;
  runs.reserve(starts.size());
  for (const auto& [run, start] : starts) runs.push_back(run);
  std::stable_sort(runs.begin(), runs.end(),
                   [&](const std::string& a, const std::string& b) { return starts[a] > starts[b]; });
  return runs;
}

// "00000000000000ab, 00000000000000aa, …"
std::string Names(const std::vector<std::string>& runs) {
  const std::vector<std::string> listed(runs.begin(),
                                        runs.begin() + static_cast<ptrdiff_t>(std::min(runs.size(), kListedRuns)));
  return absl::StrCat(absl::StrJoin(listed, ", "), runs.size() > kListedRuns ? ", …" : "");
}

// The one of `runs` that `run` names, whole or by its beginning.
absl::StatusOr<std::string> FindRun(const std::string& run, const std::vector<std::string>& runs,
                                    const std::string& option) {
  std::vector<std::string> meant;
  for (const std::string& one : runs) {
    if (one == run) return one;
    if (one.starts_with(run)) meant.push_back(one);
  }
  if (meant.size() == 1) return meant[0];
  if (meant.empty())
    return absl::NotFoundError(absl::StrCat(option, ": no trace of run ", run, " is here; there is ", Names(runs)));
  return absl::NotFoundError(absl::StrCat(option, ": '", run, "' is the beginning of ", meant.size(),
                                          " runs: ", Names(meant), "; give more of the one that is meant"));
}

absl::Status KeepOneRun(const std::string& run, const std::string& option, std::vector<TracePeek>& peeks,
                        TraceChoice& choice) {
  choice.runs = RunsByStart(peeks);
  if (run == kAllRuns || choice.runs.empty()) return absl::OkStatus();
  const absl::StatusOr<std::string> chosen = run.empty() ? choice.runs[0] : FindRun(run, choice.runs, option);
  if (!chosen.ok()) return chosen.status();
  if (choice.runs.size() < 2) return absl::OkStatus();
  std::erase_if(peeks, [&](const TracePeek& peek) { return peek.has_header && peek.run_id != *chosen; });
  if (run.empty()) {
    choice.notices.push_back(absl::StrCat("these are traces of ", choice.runs.size(), " runs; read is the newest, ",
                                          *chosen, " (", option, "=ID for another, ", option,
                                          "=all for all as one; newest first: ", Names(choice.runs), ")"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TraceChoice> ChooseTraces(const std::vector<std::string>& paths, const std::string& run,
                                         const std::string& option) {
  TraceChoice choice;
  const absl::StatusOr<std::vector<Found>> found = FindTraces(paths, choice);
  if (!found.ok()) return found.status();
  absl::StatusOr<std::vector<TracePeek>> peeks = PeekAll(*found, choice);
  if (!peeks.ok()) return peeks.status();
  LeaveOutTheSameFile(*peeks);
  if (peeks->empty()) {
    return absl::DataLossError(absl::StrCat(
        choice.unreadable.front(), choice.unreadable.size() > 1 ? " (and nothing else here can be read)" : ""));
  }
  if (const absl::Status status = KeepOneRun(run, option, *peeks, choice); !status.ok()) return status;
  for (TracePeek& peek : *peeks) choice.paths.push_back(std::move(peek.path));
  return choice;
}

}  // namespace slowtoken::reader
