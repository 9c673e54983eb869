// AddressSpace: limits on how much memory a process may map (ulimit -v and -d), which our cap counts against as soon as
// it is reserved. Starting thread; one read of /proc where there is a limit, nothing where there is none.
#pragma once

#include <cstdint>

namespace slowtoken::capture {

// True if `bytes` are at most a quarter of what the limits leave: the rest is the host's to grow into.
bool AddressSpaceAllows(uint64_t bytes);

}  // namespace slowtoken::capture
