// Real CPU work and real pauses, for a given time. The calling thread.
#pragma once

#include <cstdint>

#include "core/clock.h"

namespace slowtoken::demo {

// Sorts and hashes until `length` has passed. Returns when it really began and ended.
Interval Compute(TimeNs length);

// Sorts the logits of a large vocabulary and cuts them at the top-p mass, again and again until `length` has passed.
Interval SampleFromLargeVocabulary(TimeNs length);

// Waits for a lock that another thread holds for `length`.
Interval WaitForLock(TimeNs length);

// Computes while busy threads want the same CPU: runs now and then, and else waits for the CPU.
Interval ComputeStarved(TimeNs length);

// Computes while the process's cgroup may use a twentieth of a CPU. Zeros where no cgroup can be made (version 1's
// `cpu` controller is used).
Interval ComputeThrottled(TimeNs length);

void SleepFor(TimeNs length);

}  // namespace slowtoken::demo
