// The options of `slowtoken run` and their rules. Plain data; called once on the only thread.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace slowtoken::cli {

struct LaunchOptions {
  std::string out;  // empty: the run's own folder
  std::string mode = "flight";
  std::string graph;   // empty: node in trace mode, else launch; CheckLaunchOptions fills it in
  std::string slo;     // as given; empty: none
  std::string flight;  // as given; empty: the defaults
  std::string budget;  // as given; empty: 1%, in trace mode none
  std::string sample;  // as given; empty: everything is kept
  std::string max_trace = "4G";
  std::string ids = "hash";
  std::string sched;          // empty: the library's default
  std::string clear_domains;  // as given
  std::string rules;          // path of a rule pack; empty: none
  std::string memory = "64M";
  std::vector<std::string> labels;  // K=V
  bool simulated = false;
  uint64_t memory_bytes = 0;  // set by CheckLaunchOptions, like the next
  uint64_t max_trace_bytes = 0;
};

void AddLaunchOptions(CLI::App& app, LaunchOptions& options);

// Checks what CLI11 cannot, and sets the graph level and the sizes. The message names the option and what it accepts.
absl::Status CheckLaunchOptions(LaunchOptions& options);

}  // namespace slowtoken::cli
