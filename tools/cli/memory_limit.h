// How much memory a program started here could get. Called by `run`. Reads /proc and /sys; nothing is cached.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace slowtoken::cli {

struct MemoryLimit {
  uint64_t bytes = 0;
  std::string from;  // what sets it: "free memory of this machine", "cgroup /a/b"
};

// The least of what the machine and the control groups of this process have left; nullopt where nothing says. `root`
// stands for "/", for tests.
std::optional<MemoryLimit> AvailableMemory(const std::string& root = "");

}  // namespace slowtoken::cli
