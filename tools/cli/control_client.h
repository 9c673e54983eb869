// The control sockets of this user's processes: where they are, and a question put to many of them at once.
// Used by `ctl` and `top`. System calls only; waits at most as long as it is told to.
#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <filesystem>
#include <string>
#include <vector>

#include "reader/control_messages.h"

namespace slowtoken::cli {

struct ControlSocketFile {
  std::filesystem::path path;
  std::string role;
  int pid = 0;
  uint32_t start_ticks = 0;  // the low 32 bits of field 22 of /proc/PID/stat
};

// The folders in which runs are looked for: `given` alone if it is not empty, else SLOWTOKEN_DIR, $XDG_RUNTIME_DIR,
// /run/user/<uid> and /dev/shm/slowtoken-<uid>, as far as they exist.
std::vector<std::filesystem::path> RunPlaces(const std::string& given);

// Every control socket in the run folders of `places` (and in `places` themselves), by pid.
std::vector<ControlSocketFile> FindControlSockets(const std::vector<std::filesystem::path>& places);

struct ControlResult {
  ControlSocketFile socket;
  absl::StatusOr<std::string> bytes = absl::UnknownError("not asked");  // what it sent; or why nothing came
};

// Sends `request` to all of them at the same time and collects what they send until they close the connection. A socket
// behind which nobody listens, and whose process is gone, is removed and left out of the answer.
std::vector<ControlResult> AskAll(const std::vector<ControlSocketFile>& sockets, const std::string& request,
                                  absl::Duration patience);

// True if a process accepts connections at this socket, in whatever PID namespace; true too where that cannot be told.
bool SomebodyListens(const std::filesystem::path& socket);

// Why nobody was asked, and what to do. `given`: the folder the user named, or empty; `places`: those looked into.
absl::Status NobodyThere(const std::string& target, const std::string& given,
                         const std::vector<std::filesystem::path>& places);

}  // namespace slowtoken::cli
