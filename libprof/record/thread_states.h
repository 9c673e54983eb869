// What the CPU side did: when the watched threads did not run, how long they ran and waited, what the host's limits
// cost. Read by the worker (docs/HOST_SAFETY.md: never by host threads); times on CLOCK_MONOTONIC. Plain data.
#pragma once

#include "record/ids.h"

namespace slowtoken::record {

enum class OffCpuReason : uint8_t {
  kBlocked,    // it slept: a lock, a call, a page fault; perhaps then waited for a CPU
  kPreempted,  // it could have run all the time and had no CPU
};

// A thread was off the CPU from `start` to `end`. Short ones are in the totals of CpuSample only, unless `migrated`.
struct OffCpu {
  TimeNs start = 0;
  TimeNs end = 0;
  ThreadId thread = 0;
  OffCpuReason reason = OffCpuReason::kBlocked;
  bool migrated = false;  // it went on on another CPU
  ProcessIndex process = 0;
};

// How a watched thread spent the time from `start` to `end`: ran_ns on a CPU, waited_ns runnable without one, the rest
// blocked. `exact`: every OffCpu in this time has been told; where it is not, these totals are all that is known.
struct CpuSample {
  TimeNs start = 0;
  TimeNs end = 0;
  uint64_t ran_ns = 0;
  uint64_t waited_ns = 0;
  ThreadId thread = 0;
  bool exact = false;
  ProcessIndex process = 0;
};

// What the host took from the whole process between `start` and `end`. Told where it is not nothing.
struct HostSample {
  TimeNs start = 0;
  TimeNs end = 0;
  uint64_t throttled_ns = 0;  // the cgroup had used up its CPU quota (cpu.stat)
  uint64_t major_faults = 0;  // pages read from disk
  ProcessIndex process = 0;
};

}  // namespace slowtoken::record
