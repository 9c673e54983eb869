// Starts the other processes of a split demo: this program again, with a role. Called by main() before anything else
// runs.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace slowtoken::demo {

// A descriptor that the child gets under a fixed number.
struct PassedFd {
  int fd;
  int as;
};

// Runs this program with `arguments` (argv[0] included), by fork and exec, so that the child is a process of its own to
// every tool; the environment is inherited. Returns its pid, or -1.
pid_t SpawnSelf(const std::vector<std::string>& arguments, const std::vector<PassedFd>& fds);

// Waits for the children to end, `grace_ms` in all, then kills those that have not. True if all ended by themselves
// with exit code 0.
bool AwaitChildren(const std::vector<pid_t>& children, int grace_ms);

}  // namespace slowtoken::demo
