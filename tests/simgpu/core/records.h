// Fills the records that the tool gets for each kind of work (tool_interface.h, SimgpuRecord). Submitting thread, no
// lock.
#pragma once

#include "simgpu/core/effects.h"
#include "simgpu/core/tool.h"
#include "simgpu/core/work_item.h"

namespace simgpu {

// CUpti_ActivitySynchronizationType.
constexpr uint32_t kSyncEvent = 1;
constexpr uint32_t kSyncStreamWait = 2;
constexpr uint32_t kSyncStream = 3;
constexpr uint32_t kSyncContext = 4;

// Whether the tool wants this kind here: inside graphs only while it wants single nodes.
bool WantedFor(uint32_t bit, GraphIds ids);

SimgpuRecord KernelRecord(const KernelWork& kernel, Stream* stream, GraphIds ids);
SimgpuRecord CopyRecord(const CopyWork& copy, const CopyPlan& plan, Stream* stream, GraphIds ids);
SimgpuRecord SetRecord(const SetWork& set, Stream* stream, GraphIds ids);
SimgpuRecord HostRecord(const HostWork& host, Stream* stream, GraphIds ids);
SimgpuRecord EventRecord(const Event& event, Stream* stream, GraphIds ids);
// Emits a synchronisation record that began at `start` and ends now. `event` may be null.
void EmitSynchronization(Stream* stream, uint32_t type, uint64_t start, const Event* event = nullptr);
// Emits a memory record. `operation`: CUpti_ActivityMemoryOperationType (1 allocate, 2 release).
void EmitMemory(uint32_t operation, uint64_t address, uint64_t bytes, MemoryKind kind, Stream* stream, void* pool);

}  // namespace simgpu
