// Where things are: what was built or installed beside this executable, and the private folder of a run.
// Called by the verbs `run`, `env` and `doctor`. File system calls only; nothing is cached.
#pragma once

#include <absl/status/statusor.h>

#include <filesystem>
#include <string>

namespace slowtoken::cli {

// libslowtoken.so and the simulated GPU, found relative to the executable (../lib), in the build tree and installed.
struct Installation {
  std::filesystem::path library;  // …/lib/libslowtoken.so
  std::filesystem::path simgpu;   // …/lib/simgpu
};
Installation FindInstallation();

// SLOWTOKEN_DIR, else $XDG_RUNTIME_DIR/slowtoken, else /dev/shm/slowtoken-<uid>.
std::filesystem::path BaseFolder();

// Makes `folder` (and what is above it) and checks that it is a folder of ours that nobody else may enter: /dev/shm
// is open to everybody, who could have made it before us.
absl::Status MakePrivateFolder(const std::filesystem::path& folder);

// Makes an ordinary output folder and checks that files can be made in it.
absl::Status MakeOutputFolder(const std::filesystem::path& folder);

// `bytes` random bytes of the kernel as lower-case hexadecimal digits.
absl::StatusOr<std::string> RandomHex(size_t bytes);

}  // namespace slowtoken::cli
