// Whether perf events may be asked for in this process, without asking: a seccomp filter may kill whoever does.
// Worker thread; one open, read and close.
#pragma once

namespace slowtoken::sched {

// Whether a seccomp filter watches the calling thread (/proc/thread-self/status); also when that cannot be told.
bool UnderSeccompFilter();

// Whether this kernel has schedstat of threads.
bool HasSchedStat();

// How many descriptors we may keep: a small part of the process's limit, and at most `most`.
unsigned DescriptorShare(unsigned most);

}  // namespace slowtoken::sched
