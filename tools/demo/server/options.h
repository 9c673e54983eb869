// The command line of slowtoken-demo. Read once in main().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/config.h"
#include "scenario/kinds.h"

namespace slowtoken::demo {

// Which part of the demo this process is. kAll: frontend, scheduler and worker in one (--split=1).
enum class Role { kAll, kFrontend, kEngine, kScheduler, kWorker };

// Descriptors under which a child process finds its channels.
constexpr int kUpstreamFd = 100;    // to whoever sends it work
constexpr int kDownstreamFd = 101;  // the scheduler's, to the worker

struct Options {
  int port = 8000;
  uint64_t seed = 1;
  int split = 1;
  std::string truth;
  Config config;
  std::vector<Injection> injections;  // of --scenario, what is left open drawn
  Role role = Role::kAll;
  std::vector<std::string> arguments;  // argv, for the children
};

// Returns true to go on; false to end the program with `exit_code` (help was printed, or an error).
bool ParseOptions(int argc, char** argv, Options& options, int& exit_code);

}  // namespace slowtoken::demo
