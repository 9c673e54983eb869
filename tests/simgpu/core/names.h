// cbid <-> name of both API domains, from the installed cupti_*_cbid.h. Read-only tables, any thread.
#pragma once

#include <cstdint>

namespace simgpu {

// Name as in the cbid enum ("cudaMalloc_v3020"), or nullptr.
const char* ApiName(uint32_t domain, uint32_t cbid);
// From the enum's name or the exported one; the newest version if several; 0 if unknown.
uint32_t ApiCbid(uint32_t domain, const char* name);
uint32_t ApiCount(uint32_t domain);

// Correlation ids (api_frame.cc).
uint32_t NextCorrelation();
void SetNextCorrelation(uint32_t next);

}  // namespace simgpu
