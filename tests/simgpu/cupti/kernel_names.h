// Kernel names as records carry them. CUPTI owns the string (cupti_activity.h: "shared across all activity records"):
// by default it lives for ever; with fault recycle_names it is a copy that is overwritten when a module is unloaded, as
// the 13.x release notes admit.
#pragma once

#include <cstdint>

namespace simgpu::cupti {

// Submitting thread. Without the fault: `name` itself.
const char* KernelNameForRecord(const char* name);

// A module is being unloaded: fault recycle_names overwrites every copy handed out so far.
void RecycleNames();

// Process-wide serial of kernel executions, from 1.
int64_t NextGridId();

}  // namespace simgpu::cupti
