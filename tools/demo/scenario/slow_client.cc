#include "scenario/slow_client.h"

#include <sys/socket.h>
#include <unistd.h>

#include "scenario/busy.h"

namespace slowtoken::demo {
namespace {

constexpr int kReadAtFirst = 2;     // events
constexpr TimeNs kLook = 500'000;   // how often the reader looks whether the sender is blocked
constexpr int kSmallestBuffer = 1;  // the kernel makes it what it must be

}  // namespace

SlowClient::SlowClient(TimeNs length) : length_(length) {
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) return;
  write_fd_ = fds[0];
  read_fd_ = fds[1];
  setsockopt(write_fd_, SOL_SOCKET, SO_SNDBUF, &kSmallestBuffer, sizeof kSmallestBuffer);
  reader_ = std::thread([this] { Read(); });
}

SlowClient::~SlowClient() {
  if (write_fd_ >= 0) close(write_fd_);  // the reader sees the end
  if (reader_.joinable()) reader_.join();
  if (read_fd_ >= 0) close(read_fd_);
}

bool SlowClient::Take(std::string_view text) {
  Interval write;
  write.start = NowNs();
  writing_since_ = write.start;
  const ssize_t sent = send(write_fd_, text.data(), text.size(), MSG_NOSIGNAL);
  writing_since_ = 0;
  write.end = NowNs();
  if (write.end - write.start >= length_ / 2 && blocked_.end == 0) blocked_ = write;
  return sent == static_cast<ssize_t>(text.size());
}

void SlowClient::Read() {
  char buffer[4096];
  for (int i = 0; i < kReadAtFirst; ++i)
    if (read(read_fd_, buffer, sizeof buffer) <= 0) return;
  // The sender fills the buffer, and then stands still.
  for (TimeNs since = 0; since == 0 || NowNs() - since < length_; since = writing_since_) {
    char byte;
    if (recv(read_fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) return;  // the answer is over
    SleepFor(kLook);
  }
  while (read(read_fd_, buffer, sizeof buffer) > 0) continue;
}

}  // namespace slowtoken::demo
