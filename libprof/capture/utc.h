// UTC as it stands in names of dumps. Pure; libc's functions read time zone files and take locks.
#pragma once

#include "base/time.h"

namespace slowtoken::capture {

inline constexpr size_t kUtcSize = 17;  // "20261129T143000Z" and the 0

// `utc_ns` since 1970, to the second. Texts of later instants are greater.
void FormatUtc(base::TimeNs utc_ns, char (&out)[kUtcSize]);

}  // namespace slowtoken::capture
