#include "trace/file_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstring>

#include "base/random.h"
#include "trace/frame.h"

namespace slowtoken::trace {
namespace {

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

// All of `parts` from offset `at` on, going on after partial writes and signals. 0 or an errno value.
int WriteAll(int fd, iovec* parts, int count, uint64_t at) {
  while (count > 0) {
    const ssize_t n = pwritev(fd, parts, count, static_cast<off_t>(at));
    if (n < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    size_t left = static_cast<size_t>(n);
    at += left;
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

void FileRole(std::string_view role, char (&out)[kMaxFileRole + 1]) {
  if (role.empty()) role = "process";
  size_t n = 0;
  for (; n < role.size() && n < kMaxFileRole; ++n) {
    const char c = role[n];
    const bool fine =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    out[n] = fine ? c : '_';
  }
  if (n > 0 && out[0] == '.') out[0] = '_';
  out[n] = '\0';
}

int FileSink::Open(std::string_view dir, std::string_view role, uint64_t pid) {
  char clean[kMaxFileRole + 1];
  FileRole(role, clean);
  int error = EEXIST;
  for (int i = 0; i < kNameTries && error == EEXIST; ++i) {
    char path[sizeof path_];
    const int n = snprintf(path, sizeof path, "%.*s/%s-%llu-%08x.stt", static_cast<int>(dir.size()), dir.data(), clean,
                           static_cast<unsigned long long>(pid), base::RandomNumber<uint32_t>());
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
  size_ = 0;
  last_error_ = file_.Open(path_, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (last_error_ != 0) return last_error_;
  fchmod(file_.get(), 0600);  // whatever the host's umask took away: it must be possible to open it again
  dirty_ = false;
  // A file system that is full right now may have room later: Write puts the magic there first.
  Write({}, {});
  return 0;
}

bool FileSink::Write(std::span<const uint8_t> header, std::span<const uint8_t> payload) {
  if (!is_open() || !StillThere()) return false;
  const FileSizeSignalGuard guard;
  if (dirty_ && !CutBack()) return false;
  iovec parts[3] = {Part(kFileMagic), Part(header), Part(payload)};
  const int first = size_ == 0 ? 0 : 1;
  const int error = WriteAll(file_.get(), parts + first, 3 - first, size_);
  if (error != 0) {
    last_error_ = error;
    dirty_ = true;
    CutBack();
    return false;
  }
  size_ += (first == 0 ? kFileMagic.size() : 0) + header.size() + payload.size();
  return true;
}

// The descriptor means our file and the file has a name; opened again if the host closed the descriptor.
bool FileSink::StillThere() {
  nlink_t links = 0;
  if (!file_.Ours(&links)) {
    last_error_ = file_.Reopen(path_, O_WRONLY | O_NOFOLLOW);
    if (last_error_ != 0 || !file_.Ours(&links)) return false;
  }
  if (links != 0) return true;
  last_error_ = ENOENT;
  file_.Close();
  return false;
}

bool FileSink::CutBack() {
  if (ftruncate(file_.get(), static_cast<off_t>(size_)) != 0) return false;
  dirty_ = false;
  return true;
}

}  // namespace slowtoken::trace
