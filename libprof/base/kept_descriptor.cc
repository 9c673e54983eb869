#include "base/kept_descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace slowtoken::base {
namespace {

// Below 1024, which select() can still name and every default limit allows.
constexpr int kHigh = 960;

// The same open file under a high number, else under the one it has.
int MoveUp(int fd) {
  rlimit limit{};
  int least = kHigh;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur <= static_cast<rlim_t>(kHigh)) {
    least = static_cast<int>(limit.rlim_cur / 2);
  }
  if (fd >= least) return fd;
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, least);
  if (moved < 0) return fd;
  close(fd);
  return moved;
}

}  // namespace

int KeptDescriptor::Open(const char* path, int flags, mode_t mode) {
  Close();
  const int fd = open(path, flags | O_CLOEXEC, mode);
  return fd < 0 ? errno : Adopt(fd);
}

int KeptDescriptor::Reopen(const char* path, int flags) {
  const dev_t device = device_;
  const ino_t inode = inode_;
  const int error = Open(path, flags);
  if (error != 0) return error;
  if (device_ == device && inode_ == inode) return 0;
  Close();
  return ESTALE;
}

int KeptDescriptor::Adopt(int fd) {
  Close();
  struct stat info {};
  if (fstat(fd, &info) != 0) {
    const int error = errno;
    close(fd);
    return error;
  }
  device_ = info.st_dev;
  inode_ = info.st_ino;
  fd_ = MoveUp(fd);
  return 0;
}

bool KeptDescriptor::Ours(nlink_t* links) const {
  struct stat info {};
  if (fd_ < 0 || fstat(fd_, &info) != 0 || info.st_dev != device_ || info.st_ino != inode_) return false;
  if (links != nullptr) *links = info.st_nlink;
  return true;
}

void KeptDescriptor::Close() {
  if (Ours()) close(fd_);
  fd_ = -1;
}

}  // namespace slowtoken::base
