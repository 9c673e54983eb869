// The attached tool (the libcupti stand-in): what it wants and how it is told. See tool_interface.h for threads and
// locks.
#pragma once

#include <atomic>
#include <cstdint>

#include "simgpu/core/tool_interface.h"

namespace simgpu {

struct Context;
struct Stream;

namespace tool_detail {
extern std::atomic<const uint32_t*> wanted;  // never null: points at a zero word when no tool is attached
}

// One relaxed load (plus one of the tool's word).
inline bool Wanted(uint32_t bits) {
  const uint32_t* word = tool_detail::wanted.load(std::memory_order_relaxed);
  return (__atomic_load_n(word, __ATOMIC_RELAXED) & bits) != 0;
}

void AttachTool(const SimgpuToolHooks* hooks);
void ToolApiEnter(SimgpuApiCall* call);
void ToolApiExit(SimgpuApiCall* call);
void* ReserveSlot(const SimgpuRecord& record);
void CompleteSlot(void* slot, uint64_t start, uint64_t end);
void ToolForkedChild();

// A record with the identity of the running API call and of `stream` filled in.
SimgpuRecord NewRecord(SimgpuRecordKind kind, Stream* stream);
// Reserves and completes at once: synchronisation and memory records, whose times are host times.
void EmitRecord(SimgpuRecord& record, uint64_t start, uint64_t end);

// Sends a resource event if wanted. Fill the specific fields, Send adds the rest.
struct ResourceEvent : SimgpuResourceEvent {
  ResourceEvent(SimgpuResourceEventKind kind, Context* context);
  void Send();
};

}  // namespace simgpu
