// ProcessMark: tells whether this still is the process that the session was started in. libc's fork says so by itself;
// a raw clone does not. One page that the kernel clears in every child, however it was made, so that looking costs no
// system call: a host may have a seccomp filter by then that kills whoever asks for the process's number.
#pragma once

#include <cstdint>

#include "base/arena.h"

namespace slowtoken::capture {

class ProcessMark {
 public:
  // Takes a page of the arena. Starting thread.
  bool Init(base::Arena& arena);

  // False in every child, and before Init. Any thread; one load.
  bool Here() const { return page_ != nullptr && *page_ != 0; }

 private:
  volatile uint32_t* page_ = nullptr;
};

}  // namespace slowtoken::capture
