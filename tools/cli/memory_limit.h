// How much memory a program started here could get. Called by `run` and `env`. Reads /proc and /sys; nothing is cached.
#pragma once

#include <absl/status/status.h>

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

// INVALID_ARGUMENT if that is less than the cap `bytes`, which --memory gave as the text `given`: more than can be had
// would only end in the server's death.
absl::Status CheckMemory(uint64_t bytes, const std::string& given);

}  // namespace slowtoken::cli
