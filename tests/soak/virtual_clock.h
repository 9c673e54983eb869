// The clock of a soak: goes on when it is told to, and a little at each look, so that hours of serving fit into
// minutes. virtual_clock.cc stands in for the C library's clock_gettime in this program (CPU clocks stay true), and
// lets the recorder find that the TSC, which cannot be moved on, is not to be trusted. One thread.
#pragma once

#include <cstdint>

namespace slowtoken::soak {

void MoveClockOn(uint64_t ns);

}  // namespace slowtoken::soak
