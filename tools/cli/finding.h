// Findings of `doctor`: what was looked at, how it stands, and what to do about it. Plain data.
#pragma once

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
std::vector<Finding> CheckDoors();  // injection variables, preload
Finding CheckPerfEvents();
Finding CheckClock();
Finding CheckOutput();

}  // namespace slowtoken::cli
