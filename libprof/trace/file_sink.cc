#include "trace/file_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstring>

#include "trace/frame.h"

namespace slowtoken::trace {
namespace {

constexpr size_t kMaxRole = 32;
constexpr int kNameTries = 16;

// Over RLIMIT_FSIZE the kernel sends SIGXFSZ to the writing thread, which would end the host. While this object lives
// the signal is blocked here, and one that came is taken away again.
class FileSizeSignalGuard {
 public:
  FileSizeSignalGuard() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~FileSizeSignalGuard() {
    if (sigismember(&before_, SIGXFSZ) != 0) return;
    const timespec no_wait{};
    while (sigtimedwait(&set_, nullptr, &no_wait) == -1 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  FileSizeSignalGuard(const FileSizeSignalGuard&) = delete;
  FileSizeSignalGuard& operator=(const FileSizeSignalGuard&) = delete;

 private:
  sigset_t set_;
  sigset_t before_;
};

uint32_t RandomWord() {
  uint32_t word = 0;
  if (getrandom(&word, sizeof word, GRND_NONBLOCK) != sizeof word) {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    word = static_cast<uint32_t>(now.tv_nsec) * 2654435761u ^ static_cast<uint32_t>(getpid());
  }
  return word;
}

// `role` as it may stand in a file name.
void CleanRole(std::string_view role, char (&out)[kMaxRole + 1]) {
  if (role.empty()) role = "process";
  size_t n = 0;
  for (; n < role.size() && n < kMaxRole; ++n) {
    const char c = role[n];
    const bool fine =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    out[n] = fine ? c : '_';
  }
  if (out[0] == '.') out[0] = '_';
  out[n] = '\0';
}

// All of `parts`, going on after partial writes and signals. 0 or an errno value.
int WriteAll(int fd, iovec* parts, int count) {
  while (count > 0) {
    const ssize_t n = writev(fd, parts, count);
    if (n < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    size_t left = static_cast<size_t>(n);
    if (left == 0 && parts->iov_len != 0) return EIO;
    while (count > 0 && left >= parts->iov_len) {
      left -= parts->iov_len;
      ++parts;
      --count;
    }
    if (count > 0) {
      parts->iov_base = static_cast<char*>(parts->iov_base) + left;
      parts->iov_len -= left;
    }
  }
  return 0;
}

iovec Part(std::span<const uint8_t> bytes) { return {const_cast<uint8_t*>(bytes.data()), bytes.size()}; }

}  // namespace

int FileSink::Open(std::string_view dir, std::string_view role, uint64_t pid) {
  char clean[kMaxRole + 1];
  CleanRole(role, clean);
  int error = EEXIST;
  for (int i = 0; i < kNameTries && error == EEXIST; ++i) {
    char path[sizeof path_];
    const int n = snprintf(path, sizeof path, "%.*s/%s-%llu-%08x.stt", static_cast<int>(dir.size()), dir.data(), clean,
                           static_cast<unsigned long long>(pid), RandomWord());
    if (n < 0 || static_cast<size_t>(n) >= sizeof path) return last_error_ = ENAMETOOLONG;
    error = OpenPath({path, static_cast<size_t>(n)});
  }
  return error;
}

int FileSink::OpenPath(std::string_view path) {
  if (path.size() >= sizeof path_) return last_error_ = ENAMETOOLONG;
  Close();
  memcpy(path_, path.data(), path.size());
  path_[path.size()] = '\0';
  fd_ = open(path_, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd_ < 0) return last_error_ = errno;
  size_ = 0;
  dirty_ = false;
  last_error_ = 0;
  // A file system that is full right now may have room later: Write puts the magic there first.
  Write({}, {});
  return 0;
}

bool FileSink::Write(std::span<const uint8_t> header, std::span<const uint8_t> payload) {
  if (fd_ < 0) return false;
  const FileSizeSignalGuard guard;
  if (dirty_ && !CutBack()) return false;
  iovec parts[3] = {Part(kFileMagic), Part(header), Part(payload)};
  const int first = size_ == 0 ? 0 : 1;
  const int error = WriteAll(fd_, parts + first, 3 - first);
  if (error != 0) {
    last_error_ = error;
    dirty_ = true;
    CutBack();
    return false;
  }
  size_ += (first == 0 ? kFileMagic.size() : 0) + header.size() + payload.size();
  return true;
}

bool FileSink::CutBack() {
  const auto end = static_cast<off_t>(size_);
  if (ftruncate(fd_, end) != 0 || lseek(fd_, end, SEEK_SET) != end) return false;
  dirty_ = false;
  return true;
}

void FileSink::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

}  // namespace slowtoken::trace
