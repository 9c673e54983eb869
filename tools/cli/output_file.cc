#include "output_file.h"

#include <absl/strings/str_cat.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>

namespace slowtoken::cli {
namespace {

absl::Status CannotWrite(const std::string& path, int error) {
  return absl::PermissionDeniedError(
      absl::StrCat("cannot write ", path, ": ", strerror(error), "; give -o a file that can be written"));
}

bool IsOneOf(const struct stat& info, const std::vector<std::string>& inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [&](const std::string& path) {
    struct stat input {};
    return stat(path.c_str(), &input) == 0 && input.st_dev == info.st_dev && input.st_ino == info.st_ino;
  });
}

mode_t OrdinaryMode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

absl::StatusOr<std::unique_ptr<OutputFile>> OutputFile::Open(const std::string& path,
                                                             const std::vector<std::string>& inputs) {
  std::unique_ptr<OutputFile> out(new OutputFile());
  out->path_ = path;
  if (path == "-") return out;
  std::error_code error;
  out->target_ = std::filesystem::weakly_canonical(path, error).string();
  if (error) out->target_ = path;
  struct stat info {};
  const bool exists = stat(out->target_.c_str(), &info) == 0;
  if (exists && IsOneOf(info, inputs)) {
    return absl::InvalidArgumentError(absl::StrCat("-o ", path, " is one of the traces being read; give another file"));
  }
  if (exists && S_ISDIR(info.st_mode)) return CannotWrite(path, EISDIR);
  if (exists && access(out->target_.c_str(), W_OK) != 0) return CannotWrite(path, errno);
  if (exists && !S_ISREG(info.st_mode)) {
    out->file_.open(out->target_, std::ios::binary);
    if (!out->file_) return CannotWrite(path, errno);
    return out;
  }
  std::string temporary = out->target_ + ".XXXXXX";
  const int fd = mkstemp(temporary.data());
  if (fd < 0) return CannotWrite(path, errno);
  out->temporary_ = temporary;
  fchmod(fd, exists ? info.st_mode & 07777 : OrdinaryMode());
  close(fd);
  out->file_.open(temporary, std::ios::binary | std::ios::trunc);
  if (!out->file_) return CannotWrite(path, errno);
  return out;
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

std::ostream& OutputFile::stream() { return path_ == "-" ? std::cout : file_; }

absl::Status OutputFile::Commit() {
  errno = 0;
  stream().flush();
  if (file_.is_open()) file_.close();
  if (!stream()) {
    return absl::DataLossError(absl::StrCat("cannot write all of ", path_ == "-" ? "the output" : path_,
                                            errno != 0 ? absl::StrCat(": ", strerror(errno)) : "; is the disk full?"));
  }
  if (temporary_.empty()) return absl::OkStatus();
  if (rename(temporary_.c_str(), target_.c_str()) != 0) return CannotWrite(path_, errno);
  temporary_.clear();
  return absl::OkStatus();
}

}  // namespace slowtoken::cli
