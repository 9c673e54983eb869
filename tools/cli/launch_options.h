// The options of `slowtoken run` and their rules. Plain data; called once on the only thread.
#pragma once

#include <absl/status/status.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace slowtoken::cli {

struct LaunchOptions {
  std::string out;  // empty: the run's own folder
  std::string mode = "trace";
  std::string graph = "node";
  std::string ids = "hash";
  std::string memory = "64M";
  std::vector<std::string> labels;  // K=V
  bool simulated = false;
  uint64_t memory_bytes = 0;  // set by CheckLaunchOptions
};

void AddLaunchOptions(CLI::App& app, LaunchOptions& options);

// Checks what CLI11 cannot, and sets memory_bytes. The message names the option and what it accepts.
absl::Status CheckLaunchOptions(LaunchOptions& options);

}  // namespace slowtoken::cli
