// The folders of earlier runs, as `run` meets them: what is in the way, and what nobody needs any more.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace slowtoken::cli {

// Whether traces lie directly in `folder`.
bool HasTraces(const std::filesystem::path& folder);

// The folders below `base` (the default place) that hold traces: one a run.
std::vector<std::filesystem::path> FoldersWithTraces(const std::filesystem::path& base);

// How many other runs have traces directly in `folder`.
size_t OtherRunsIn(const std::filesystem::path& folder, const std::string& run_id);

// Removes the folders below `base` of runs that are over and left no trace anywhere: those whose manifest names a
// process that has ended, with nothing in them but what WriteManifest wrote, and no trace in their output folder. The
// folder `own` stays.
void RemoveEmptyRuns(const std::filesystem::path& base, const std::filesystem::path& own);

}  // namespace slowtoken::cli
