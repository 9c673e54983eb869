// What runs of the past have left in the default place, and which of it nobody needs any more. Called by `run`, `env`,
// `ctl` and `doctor`, never by a recorded process. File system calls only, and one connection to each control socket.
//
// A run is over if nobody listens at any of its sockets, none of its files was written in the last ten minutes (a
// recorded process writes every second) and the process its manifest names has ended; that holds for processes of other
// PID namespaces too. Of runs that are over are removed: those that left no trace anywhere, after ten minutes; those
// whose newest file is seven days old; and the oldest ones while all together hold more than 4 GB, but never the last
// one. One whose traces lie elsewhere (-o) and still exist stays: they need its key. Only folders of this user whose
// name is a run's id (16 hexadecimal digits) count. Traces elsewhere (-o) are the user's.
#pragma once

#include <absl/time/time.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace slowtoken::cli {

struct OldRun {
  std::filesystem::path folder;
  uint64_t bytes = 0;
  absl::Time newest;  // when a file of it was written last
  std::string why;    // it may go, in words
};

struct CleaningRule {
  absl::Duration quiet = absl::Minutes(10);
  absl::Duration keep = absl::Hours(24 * 7);
  uint64_t most_bytes = 4ull << 30;
};

// The runs below `base` that the rule lets go, oldest first. `own` is not looked at.
std::vector<OldRun> RunsToRemove(const std::filesystem::path& base, const std::filesystem::path& own, absl::Time now,
                                 const CleaningRule& rule = {});

// Removes them. Returns one line for people, empty if no traces were removed.
std::string RemoveRuns(const std::vector<OldRun>& runs);

// Both, with a note if traces were removed.
void TidyUp(const char* verb, const std::filesystem::path& base, const std::filesystem::path& own);

}  // namespace slowtoken::cli
