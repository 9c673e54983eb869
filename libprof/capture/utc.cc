#include "capture/utc.h"

#include <stdio.h>

namespace slowtoken::capture {

// Days to a date in the Gregorian calendar: years are counted from March, in eras of 400 years.
void FormatUtc(base::TimeNs utc_ns, char (&out)[kUtcSize]) {
  const uint64_t seconds = utc_ns / 1'000'000'000;
  const uint64_t days = seconds / 86400 + 719468;  // since 0000-03-01
  const uint64_t era = days / 146097, day_of_era = days % 146097;
  const uint64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const uint64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const uint64_t month_from_march = (5 * day_of_year + 2) / 153;
  const auto day = static_cast<unsigned>(day_of_year - (153 * month_from_march + 2) / 5 + 1);
  const auto month = static_cast<unsigned>(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
  const auto year = static_cast<unsigned>(year_of_era + era * 400 + (month <= 2 ? 1 : 0));
  const auto in_day = static_cast<unsigned>(seconds % 86400);
  snprintf(out, sizeof out, "%04u%02u%02uT%02u%02u%02uZ", year % 10000, month % 100, day % 100, in_day / 3600 % 100,
           in_day / 60 % 60, in_day % 60);
}

}  // namespace slowtoken::capture
