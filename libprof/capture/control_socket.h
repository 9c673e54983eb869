// ControlSocket: the Unix stream socket at which this process answers `slowtoken ctl`, `top` and others of its own
// user: <run directory>/<role>-<pid>-<start ticks, 8 hex>.sock, mode 0600, in a directory of ours that nobody else may
// enter. Worker thread; ForgetInChild in a forked child. Nothing here blocks. The host may close or reuse our
// descriptors at any time: each is checked before use (base/kept_descriptor.h), and a socket that is gone is made anew.
#pragma once

#include <sys/types.h>

#include "base/kept_descriptor.h"
#include "capture/config.h"

namespace slowtoken::capture {

class ControlSocket {
 public:
  // Who is at the other end of a connection; false if it cannot be told.
  using PeerUser = bool (*)(int fd, uid_t* user);
  static bool PeerFromKernel(int fd, uid_t* user);  // SO_PEERCRED

  // Names the place; both texts are copied. Makes nothing yet.
  void Init(const char* directory, const char* name, PeerUser peer_user = &PeerFromKernel);

  // Makes the directory and the socket, taking the place of one left there. 0 or an errno value; EPERM: the directory
  // is not ours alone; ENAMETOOLONG: the path is too long and /proc, by which it could be shortened, is not there.
  int Open();

  // True if the descriptor still is our socket.
  bool Ours() const { return socket_.Ours(); }

  // The next connection of this user (or of root), non-blocking, close-on-exec; -1 when none waits. Those of other
  // users are closed at once.
  int Accept();

  // Removes the socket's name, and the directory if nothing is left in it.
  void Remove();

  // Closes the inherited copy, touches no file.
  void ForgetInChild() { socket_.Close(); }

 private:
  int OpenDirectory(int* directory) const;
  int Bind(int fd, int directory) const;

  base::KeptDescriptor socket_;
  PeerUser peer_user_ = nullptr;
  char directory_[sizeof Config::directory] = {};
  char name_[64] = {};
  bool named_ = false;  // the name in the directory is ours
};

}  // namespace slowtoken::capture
