#include "core/channel.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <string_view>
#include <vector>

namespace slowtoken::demo {
namespace {

// A packet must fit the socket's buffer; longer messages travel in parts. First byte: 1 if a part follows.
constexpr size_t kPart = 60'000;

}  // namespace

Channel::~Channel() {
  if (fd_ >= 0) close(fd_);
}

std::pair<int, int> Channel::Pair() {
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0) return {-1, -1};
  return {fds[0], fds[1]};
}

bool Channel::SendPart(char more, std::string_view part) {
  iovec pieces[2] = {{&more, 1}, {const_cast<char*>(part.data()), part.size()}};
  msghdr header{};
  header.msg_iov = pieces;
  header.msg_iovlen = 2;
  ssize_t sent;
  do sent = sendmsg(fd_, &header, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(1 + part.size());
}

bool Channel::Send(const std::string& message) {
  const std::lock_guard lock(send_mutex_);
  std::string_view rest = message;
  for (; rest.size() > kPart; rest.remove_prefix(kPart))
    if (!SendPart(1, rest.substr(0, kPart))) return false;
  return SendPart(0, rest);
}

std::optional<std::string> Channel::Receive() {
  std::string message;
  std::vector<char> packet(kPart + 1);
  for (;;) {
    ssize_t size;
    do size = recv(fd_, packet.data(), packet.size(), 0);
    while (size < 0 && errno == EINTR);
    if (size <= 0) return std::nullopt;
    message.append(packet.data() + 1, static_cast<size_t>(size - 1));
    if (packet[0] == 0) return message;
  }
}

void Channel::Close() { shutdown(fd_, SHUT_RDWR); }

}  // namespace slowtoken::demo
