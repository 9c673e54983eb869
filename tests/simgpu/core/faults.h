// The fault plan, from SIMGPU_FAULTS: inline text, or the path of a file if it begins with '/' or '.' or '@'.
//
//   plan  = rule { (';' | '|' | newline) rule }        '#' begins a comment
//   rule  = point [ '=' value ] [ '@' first ] [ '*' count ]
//
// A point fires on its occasions first .. first+count-1 (default: from the first on, for ever). Points are free names;
// README.md lists those that exist. Read once at first use; look-ups are thread-safe and cheap when there is no plan.
#pragma once

#include <cstdint>
#include <string_view>

#include "simgpu/core/tool_interface.h"

namespace simgpu {

// True if SIMGPU_FAULTS names at least one rule.
bool FaultsActive();
// Counts one occasion of `point`; true if a rule fires for it.
bool Fault(std::string_view point, SimgpuFault* out);
// Whether the next occasion would fire; does not count.
bool FaultPeek(std::string_view point, SimgpuFault* out);
// The '@' value of the point's first rule (1 if none).
uint64_t FaultFirstOccasion(std::string_view point);

}  // namespace simgpu
