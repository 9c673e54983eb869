// The private folder of one run: who it is and what was asked, for the verbs that come later. Called by `run` and
// `env`.
#pragma once

#include <absl/status/status.h>

#include <filesystem>
#include <optional>
#include <string>

#include "launch_options.h"

namespace slowtoken::cli {

struct RunIdentity {
  std::string run_id;            // 16 hexadecimal digits
  std::string key;               // 32 hexadecimal digits: the pseudonym key; empty if SLOWTOKEN_KEY_FILE names it
  std::filesystem::path base;    // BaseFolder()
  std::filesystem::path folder;  // base / run_id, 0700
  std::filesystem::path out;     // where traces go
};

// Writes manifest.json and key (if there is one) into the run's folder, both readable by the owner only. Of the command
// only the name of the program is kept: its arguments may hold secrets.
// Without a program (`env`) nobody knows yet what the run will be.
absl::Status WriteManifest(const RunIdentity& identity, const LaunchOptions& options,
                           const std::optional<std::string>& program);

// What the manifest in a run's folder says about the run now.
struct ManifestState {
  bool names_process = false;  // it was written by `run`, for a process that ...
  bool alive = false;          // ... still lives
  bool has_traces = false;     // in the folder where its traces go
};

// All false where there is no manifest, or one that cannot be understood.
ManifestState ReadManifest(const std::filesystem::path& folder);

}  // namespace slowtoken::cli
