// From an event of the engine to a record in a buffer, through the record faults of the plan. Submitting or calling
// thread, no engine lock.
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>

#include "simgpu/core/tool_interface.h"
#include "simgpu/cupti/activity_buffer.h"

namespace simgpu::cupti {

// Places a complete record unless a fault swallows it.
void EmitComplete(const void* record, size_t size, uint32_t context_id);

// Builds and places the record of device work that was just accepted; a packed Slot, or NULL.
void* EmitDevice(const SimgpuRecord& in);

// Stamps the record when its work ended (monotonic times). Engine lock held.
void StampDevice(const Slot& slot, uint64_t start_ns, uint64_t end_ns);

}  // namespace simgpu::cupti
