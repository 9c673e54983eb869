// The engine's clock: CLOCK_MONOTONIC nanoseconds. Any thread, about 40 ns.
#pragma once

#include <cstdint>

namespace simgpu {

uint64_t NowNs();
// CLOCK_REALTIME at that monotonic moment, with the fault plan's clock.step / clock.skew applied. 0 stays 0.
uint64_t WallNs(uint64_t monotonic_ns);
// Sleeps until 40 us before `deadline_ns` with a timer slack of 1 ns (restored afterwards), then spins.
void SleepUntil(uint64_t deadline_ns);

}  // namespace simgpu
