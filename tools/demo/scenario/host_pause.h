// The ways in which host_paused keeps a thread from its work. The calling thread: the one that schedules or launches.
#pragma once

#include "core/clock.h"

namespace slowtoken::demo {

// `variant`: of host_paused. Zeros: it could not be done here.
Interval PauseHost(int64_t variant, TimeNs length);

}  // namespace slowtoken::demo
