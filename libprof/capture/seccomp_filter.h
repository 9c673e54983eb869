// Whether a seccomp filter judges the calling thread's system calls. One may kill for a call that it does not know, so
// what a host has no reason to call is not called then. Any thread; opens, reads and closes a file of /proc.
#pragma once

namespace slowtoken::capture {

// True also where it cannot be told.
bool UnderSeccompFilter();

}  // namespace slowtoken::capture
