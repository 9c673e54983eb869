// TraceChoice: from what the user named to the trace files that are read together: directories are searched, a file
// given twice is taken once, and of several runs one is chosen. Used by TraceSet.
// Single threaded, offline. Opens each file once, for its header.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace slowtoken::reader {

struct TraceChoice {
  std::vector<std::string> paths;       // in the order of their process indexes
  std::vector<std::string> unreadable;  // found in a directory, not read: "PATH: why"
  std::vector<std::string> notices;     // what was left out, one line each, for people
  std::vector<std::string> runs;        // of which there are traces, the one that began last first
};

// Reads the traces of every run together.
inline constexpr const char* kAllRuns = "all";

// `run`: a run's id, as much of it as no other's begins with, kAllRuns, or empty for the run that began last. `option`:
// how the user names it, for errors and notices. An error when a path does not exist, when nothing is a trace, when a
// file named directly cannot be read, or when there is no such run.
absl::StatusOr<TraceChoice> ChooseTraces(const std::vector<std::string>& paths, const std::string& run,
                                         const std::string& option = "--run");

}  // namespace slowtoken::reader
