// Times that tests count in.
#pragma once

#include "base/time.h"

namespace slowtoken {

inline constexpr base::TimeNs kUs = 1'000, kMs = 1'000'000, kSecond = 1'000'000'000;

}  // namespace slowtoken
