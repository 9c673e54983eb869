// Findings of `doctor`: what was looked at, how it stands, and what to do about it. Plain data.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <vector>

namespace slowtoken::cli {

struct Finding {
  enum class State { kOk, kWarning, kProblem };
  std::string what;  // one or two words
  State state = State::kOk;
  std::string text;    // how it stands
  std::string advice;  // what to do; empty if nothing
};

// Each looks at one thing and does not change anything. Those that load other people's libraries do it in a child
// process, so that nothing of them stays here and a crash of theirs is a finding.
Finding CheckLibrary();
Finding CheckDriver();
Finding CheckCupti();
Finding CheckNvml();
std::vector<Finding> CheckDoors();  // injection variables, preload
Finding CheckRules();
Finding CheckPerfEvents();
Finding CheckClock();
Finding CheckOutput();
Finding CheckOldRuns();

// What is really mapped in process `pid`, which injection variables it was started with (by name only), and who holds
// CUPTI, NVTX and NCCL there, as far as that shows from outside. An error if the process cannot be looked at.
absl::StatusOr<std::vector<Finding>> CheckProcess(int pid);

}  // namespace slowtoken::cli
