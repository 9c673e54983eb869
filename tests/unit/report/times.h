// Times of the report's tests.
#pragma once

#include "../times.h"

namespace slowtoken::report {

inline constexpr base::TimeNs kStart = 1'000'000'000'000;  // CLOCK_MONOTONIC when recording began

}  // namespace slowtoken::report
