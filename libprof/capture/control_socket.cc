#include "capture/control_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "capture/trace_output.h"

namespace slowtoken::capture {
namespace {

constexpr int kBacklog = 16;

int BindTo(int fd, const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const size_t size = strlen(path);
  if (size >= sizeof address.sun_path) return ENAMETOOLONG;
  memcpy(address.sun_path, path, size + 1);
  return bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
}

}  // namespace

bool ControlSocket::PeerFromKernel(int fd, uid_t* user) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  *user = peer.uid;
  return true;
}

void ControlSocket::Init(const char* directory, const char* name, PeerUser peer_user) {
  snprintf(directory_, sizeof directory_, "%s", directory);
  snprintf(name_, sizeof name_, "%s", name);
  peer_user_ = peer_user;
}

// A descriptor of the directory, which others could have made before us (/dev/shm is open to everybody).
int ControlSocket::OpenDirectory(int* directory) const {
  if (const int error = MakeDirectories(directory_); error != 0) return error;
  *directory = open(directory_, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (*directory < 0) return errno;
  struct stat info {};
  const bool ours = fstat(*directory, &info) == 0 && info.st_uid == geteuid() && (info.st_mode & 077) == 0;
  if (ours) return 0;
  close(*directory);
  return EPERM;
}

int ControlSocket::Open() {
  int directory = -1;
  if (const int error = OpenDirectory(&directory); error != 0) return error;
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  int error = fd < 0 ? errno : Bind(fd, directory);
  if (error == 0 && listen(fd, kBacklog) != 0) error = errno;
  close(directory);
  if (error != 0) {
    if (fd >= 0) close(fd);
    return error;
  }
  named_ = true;
  return socket_.Adopt(fd);
}

// Through /proc the path fits into sun_path (108 bytes) whatever the directory, and the directory cannot be exchanged
// on the way.
int ControlSocket::Bind(int fd, int directory) const {
  unlinkat(directory, name_, 0);
  if (fchmod(fd, 0600) != 0) return errno;  // the name gets this mode (minus the umask) when it is bound
  char path[sizeof directory_ + sizeof name_];
  snprintf(path, sizeof path, "/proc/self/fd/%d/%s", directory, name_);
  const int error = BindTo(fd, path);
  if (error != ENOENT && error != ENOTDIR && error != EACCES) return error;
  snprintf(path, sizeof path, "%s/%s", directory_, name_);
  return BindTo(fd, path);
}

// accept4 takes the lowest free number even when nobody waits, and a host may count on getting that one: so first poll.
int ControlSocket::Accept() {
  constexpr int kMostStrangers = 16;
  for (int i = 0; i < kMostStrangers; ++i) {
    pollfd waiting{socket_.get(), POLLIN, 0};
    if (poll(&waiting, 1, 0) <= 0 || (waiting.revents & POLLIN) == 0) return -1;
    const int fd = accept4(socket_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return -1;
    uid_t user = 0;
    if (peer_user_(fd, &user) && (user == geteuid() || user == 0)) return fd;
    close(fd);
  }
  return -1;
}

void ControlSocket::Remove() {
  socket_.Close();
  if (!named_) return;
  named_ = false;
  char path[sizeof directory_ + sizeof name_];
  snprintf(path, sizeof path, "%s/%s", directory_, name_);
  unlink(path);
  rmdir(directory_);  // refused while anything is left there
}

}  // namespace slowtoken::capture
