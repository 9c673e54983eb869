// FlightSettings: how the flight ring and its dumps are bounded, from `--flight=` of `slowtoken run`
// (SLOWTOKEN_FLIGHT). Parsed at start by the library and by the command line. Plain data.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/time.h"

namespace slowtoken::trace {

struct FlightSettings {
  base::TimeNs pre_ns = 10'000'000'000;           // pre: a dump begins so long before its trigger
  base::TimeNs post_ns = 2'000'000'000;           // post: and ends so long after it
  base::TimeNs every_ns = 60'000'000'000;         // every: at most one dump in so long, unless somebody asked for it
  base::TimeNs keep_ns = 30'000'000'000;          // keep: the ring holds at least so much, and the windows, if it fits
  base::TimeNs age_ns = 7 * 86'400'000'000'000u;  // age: older dumps are removed
  uint64_t ring_bytes = 32u << 20;                // ring: of each process
  uint64_t disk_bytes = 1u << 30;                 // disk: of all dumps in the folder

  base::TimeNs ring_age_ns() const { return keep_ns + pre_ns + post_ns; }
};

// A list such as pre:10s,post:2s,every:60s,keep:30s,age:7d,ring:32M,disk:1G; what is left out keeps its value. False
// names the first entry that cannot be taken in `wrong`.
bool ParseFlightSettings(std::string_view text, FlightSettings& settings, std::string_view& wrong);

}  // namespace slowtoken::trace
