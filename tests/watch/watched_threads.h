// Host-safety rule 4, proved by interposition: what the threads under watch do that a host thread must not. malloc and
// its like and the functions that lock stand in front of libc's for the whole program and count for those threads;
// system calls (so also a lock that waits) are trapped by a seccomp filter on each of them. Used by
// hosts.steady_state and pool_bench.
#pragma once

namespace slowtoken::watch {

struct ForbiddenCalls {
  long allocations = 0, locks = 0, system_calls = 0;
  long first_system_call = -1;  // its number
};

// What all threads did while they were watched.
ForbiddenCalls CallsWhileWatched();

// From here on no system call of this thread is made but Yield and getrusage: its end is one too, so it must not end.
// False where the kernel has no seccomp.
bool TrapSystemCalls();

// The calling thread is watched while this lives.
class Watch {
 public:
  Watch();
  ~Watch();
};

// Lets others run; the one way for a thread under watch to wait.
void Yield();

}  // namespace slowtoken::watch
