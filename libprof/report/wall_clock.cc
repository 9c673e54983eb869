#include "report/wall_clock.h"

#include <absl/strings/str_cat.h>
#include <absl/time/time.h>

#include "report/units.h"

namespace slowtoken::report {

std::string WhenText(const v1::Origin& origin, uint64_t start_ns, uint64_t end_ns) {
  std::string since = absl::StrCat("from ", Duration(start_ns), " into the trace");
  absl::Time zero;
  if (!absl::ParseTime(absl::RFC3339_full, origin.utc(), &zero, nullptr)) return since;
  const auto at = [&](const char* format, uint64_t ns) {
    return absl::FormatTime(format, zero + absl::Nanoseconds(ns), absl::UTCTimeZone());
  };
  constexpr const char* kDay = "%Y-%m-%d";
  const bool one_day = at(kDay, start_ns) == at(kDay, end_ns);
  return absl::StrCat(at("%Y-%m-%d %H:%M:%E3S", start_ns), " to ",
                      at(one_day ? "%H:%M:%E3S" : "%Y-%m-%d %H:%M:%E3S", end_ns), " UTC, ", since);
}

}  // namespace slowtoken::report
