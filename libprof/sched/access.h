// What of a thread's states this process can be told. Worker thread; one open, read and close at most.
#pragma once

namespace slowtoken::sched {

// Whether this kernel has schedstat of threads.
bool HasSchedStat();

// How many descriptors we may keep: a small part of the process's limit, and at most `most`.
unsigned DescriptorShare(unsigned most);

}  // namespace slowtoken::sched
