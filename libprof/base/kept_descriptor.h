// KeptDescriptor: a file descriptor of ours that stays open in someone else's process. The host may close it at any
// time (closefrom, close_range, a loop over all numbers) and open a file of its own under the same number; so the
// number is a high one, which hosts do not get by themselves, and before each use Ours() asks the kernel whether it
// still means our file. Between that answer and the use lie some hundred ns in which nothing can protect us: the high
// number does. The owner is one thread (the worker; a door before the worker exists). A few system calls each, errno
// not kept.
#pragma once

#include <sys/types.h>

namespace slowtoken::base {

class KeptDescriptor {
 public:
  KeptDescriptor() = default;
  KeptDescriptor(const KeptDescriptor&) = delete;
  KeptDescriptor& operator=(const KeptDescriptor&) = delete;

  // Opens `path` and moves it to a high number; close-on-exec always. 0 or an errno value. Closes what was kept before.
  int Open(const char* path, int flags, mode_t mode = 0);

  // Takes over a descriptor made elsewhere (a socket), and moves it to a high number. 0 or an errno value; it is closed
  // then. Closes what was kept before.
  int Adopt(int fd);

  // As Open, but only if `path` still is the file that was kept last; ESTALE if it is another one.
  int Reopen(const char* path, int flags);

  // True if the number still stands for the file that was opened. `links`, if given, receives its number of names: 0
  // when somebody has deleted it.
  bool Ours(nlink_t* links = nullptr) const;

  // Closes the file if it is still ours, and forgets it. Also what a forked child does with its inherited copy.
  void Close();

  bool is_open() const { return fd_ >= 0; }
  int get() const { return fd_; }

 private:
  int fd_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace slowtoken::base
