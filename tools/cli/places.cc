#include "places.h"

#include <absl/status/status.h>
#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace slowtoken::cli {
namespace fs = std::filesystem;

Installation FindInstallation() {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  const fs::path lib = (executable.parent_path().parent_path() / "lib").lexically_normal();
  return {lib / "libslowtoken.so", lib / "simgpu"};
}

fs::path BaseFolder() {
  if (const char* dir = std::getenv("SLOWTOKEN_DIR"); dir != nullptr && *dir != '\0') return fs::absolute(dir);
  if (const char* dir = std::getenv("XDG_RUNTIME_DIR"); dir != nullptr && *dir == '/')
    return fs::path(dir) / "slowtoken";
  return absl::StrCat("/dev/shm/slowtoken-", getuid());
}

absl::Status MakePrivateFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return absl::PermissionDeniedError(absl::StrCat("cannot make the folder ", folder.string(), ": ", strerror(errno),
                                                    "; set SLOWTOKEN_DIR to one you may write to"));
  }
  struct stat info {};
  const bool ours = lstat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid();
  if (!ours) {
    return absl::PermissionDeniedError(absl::StrCat(
        folder.string(), " is not a folder of this user; remove it or set SLOWTOKEN_DIR to another place"));
  }
  if ((info.st_mode & 077) != 0 && chmod(folder.c_str(), 0700) != 0) {
    return absl::PermissionDeniedError(absl::StrCat("cannot close ", folder.string(), " to others: ", strerror(errno)));
  }
  return absl::OkStatus();
}

absl::Status MakeOutputFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  std::error_code looked;
  if (!fs::is_directory(folder, looked)) {
    return absl::PermissionDeniedError(absl::StrCat("cannot make the folder ", folder.string(), ": ",
                                                    error ? error.message() : "a file is in the way",
                                                    "; give -o a folder that can be written"));
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    return absl::PermissionDeniedError(
        absl::StrCat("cannot write into ", folder.string(), ": ", strerror(errno), "; give -o another folder"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> RandomHex(size_t bytes) {
  std::string raw(bytes, '\0');
  if (getrandom(raw.data(), raw.size(), 0) != static_cast<ssize_t>(raw.size())) {
    return absl::InternalError("the kernel gives no random bytes (getrandom failed)");
  }
  return absl::BytesToHexString(raw);
}

}  // namespace slowtoken::cli
