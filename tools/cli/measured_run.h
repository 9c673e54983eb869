// One run of a command, measured: wall time, CPU time and peak memory of it and all its children. Called by `overhead`,
// on the only thread; blocks until the command has ended. Makes this process the reaper of what the command leaves
// behind, so that children of children count as well.
#pragma once

#include <absl/status/statusor.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace slowtoken::cli {

struct RunRequest {
  std::vector<std::string> command;
  std::map<std::string, std::string> environment;  // set on top of our own; an empty value unsets
  std::filesystem::path out, err;                  // where its output goes
};

struct MeasuredRun {
  double wall_s = 0;
  double cpu_s = 0;          // user and system, of the command and every descendant that has ended
  double peak_bytes = 0;     // resident, of the largest of these processes
  bool left_behind = false;  // a descendant still runs: its time is not in cpu_s
};

// An error if the command cannot be started, exits with anything but 0, or is ended by a signal.
absl::StatusOr<MeasuredRun> RunMeasured(const RunRequest& request);

}  // namespace slowtoken::cli
