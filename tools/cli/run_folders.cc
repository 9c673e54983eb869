#include "run_folders.h"

#include <algorithm>
#include <set>
#include <system_error>

#include "manifest.h"
#include "reader/trace_peek.h"

namespace slowtoken::cli {
namespace {

namespace fs = std::filesystem;

// The entries of a folder; none if it cannot be listed.
std::vector<fs::path> Entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    entries.push_back(it->path());
  return entries;
}

// Only manifest.json and key: nothing that somebody may still want.
bool IsBare(const fs::path& folder) {
  const std::vector<fs::path> entries = Entries(folder);
  return std::all_of(entries.begin(), entries.end(), [](const fs::path& entry) {
    return entry.filename() == "manifest.json" || entry.filename() == "key";
  });
}

// False where there is no manifest, or one that cannot be understood.
bool IsOver(const fs::path& folder) {
  const ManifestState state = ReadManifest(folder);
  return state.names_process && !state.alive && !state.has_traces;
}

}  // namespace

bool HasTraces(const fs::path& folder) {
  const std::vector<fs::path> entries = Entries(folder);
  return std::any_of(entries.begin(), entries.end(), [](const fs::path& entry) { return entry.extension() == ".stt"; });
}

std::vector<fs::path> FoldersWithTraces(const fs::path& base) {
  std::vector<fs::path> folders = Entries(base);
  std::erase_if(folders, [](const fs::path& folder) {
    std::error_code error;
    return !fs::is_directory(folder, error) || !HasTraces(folder);
  });
  return folders;
}

size_t OtherRunsIn(const fs::path& folder, const std::string& run_id) {
  std::set<std::string> runs;
  for (const fs::path& entry : Entries(folder)) {
    if (entry.extension() != ".stt") continue;
    const absl::StatusOr<reader::TracePeek> peek = reader::PeekTrace(entry.string());
    if (peek.ok() && peek->has_header && peek->run_id != run_id) runs.insert(peek->run_id);
  }
  return runs.size();
}

void RemoveEmptyRuns(const fs::path& base, const fs::path& own) {
  for (const fs::path& folder : Entries(base)) {
    std::error_code error;
    if (folder == own) continue;
    if (!fs::is_directory(fs::symlink_status(folder, error)) || !IsBare(folder) || !IsOver(folder)) continue;
    fs::remove_all(folder, error);
  }
}

}  // namespace slowtoken::cli
