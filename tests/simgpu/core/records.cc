#include "simgpu/core/records.h"

#include "simgpu/core/clock.h"
#include "simgpu/core/event.h"
#include "simgpu/core/module.h"
#include "simgpu/core/stream.h"

namespace simgpu {
namespace {

// CUpti_ActivityMemoryKind.
uint32_t CuptiKind(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kPageable:
      return 1;
    case MemoryKind::kPinned:
      return 2;
    case MemoryKind::kDevice:
      return 3;
    case MemoryKind::kManaged:
      return 5;
  }
  return 0;
}

SimgpuRecord Start(SimgpuRecordKind kind, Stream* stream, GraphIds ids) {
  SimgpuRecord record = NewRecord(kind, stream);
  record.graph_id = ids.graph;
  record.graph_node_id = ids.node;
  return record;
}

}  // namespace

bool WantedFor(uint32_t bit, GraphIds ids) {
  return Wanted(bit) && (ids.graph == 0 || Wanted(SIMGPU_WANT_GRAPH_NODES));
}

SimgpuRecord KernelRecord(const KernelWork& kernel, Stream* stream, GraphIds ids) {
  SimgpuRecord record = Start(SIMGPU_RECORD_KERNEL, stream, ids);
  const KernelInfo& info = kernel.function->info;
  record.name = info.name.c_str();
  for (int i = 0; i < 3; ++i) {
    record.grid[i] = static_cast<int32_t>(kernel.grid[i]);
    record.block[i] = static_cast<int32_t>(kernel.block[i]);
    record.cluster[i] = kernel.cluster[i];
  }
  record.static_shared = info.static_shared;
  record.dynamic_shared = kernel.shared;
  record.registers_per_thread = info.registers;
  record.shared_executed = info.static_shared + kernel.shared + 1024;
  record.cooperative = kernel.cooperative;
  return record;
}

SimgpuRecord CopyRecord(const CopyWork& copy, const CopyPlan& plan, Stream* stream, GraphIds ids) {
  SimgpuRecord record = Start(plan.peer ? SIMGPU_RECORD_MEMCPY_PEER : SIMGPU_RECORD_MEMCPY, stream, ids);
  record.copy_kind = plan.cupti_kind;
  record.src_kind = CuptiKind(copy.source_kind);
  record.dst_kind = CuptiKind(copy.destination_kind);
  record.src_device_id = static_cast<uint32_t>(copy.source_device);
  record.dst_device_id = static_cast<uint32_t>(copy.destination_device);
  record.src_context_id = record.context_id;
  record.dst_context_id = record.context_id;
  record.bytes = copy.Bytes();
  record.copy_count = 1;
  record.flags = copy.asynchronous ? 1 : 0;
  return record;
}

SimgpuRecord SetRecord(const SetWork& set, Stream* stream, GraphIds ids) {
  SimgpuRecord record = Start(SIMGPU_RECORD_MEMSET, stream, ids);
  record.bytes = uint64_t{set.width} * set.element * set.height;
  record.memset_value = set.value;
  record.dst_kind = CuptiKind(Classify(reinterpret_cast<void*>(set.destination)).kind);
  record.flags = set.asynchronous ? 1 : 0;
  return record;
}

SimgpuRecord HostRecord(const HostWork& host, Stream* stream, GraphIds ids) {
  SimgpuRecord record = Start(SIMGPU_RECORD_HOST_FUNCTION, stream, ids);
  record.address =
      host.callback != nullptr ? reinterpret_cast<uint64_t>(host.callback) : reinterpret_cast<uint64_t>(host.function);
  return record;
}

SimgpuRecord EventRecord(const Event& event, Stream* stream, GraphIds ids) {
  SimgpuRecord record = Start(SIMGPU_RECORD_EVENT, stream, ids);
  record.event_id = event.id;
  record.event_sync_id = event.serial;
  return record;
}

void EmitSynchronization(Stream* stream, uint32_t type, uint64_t start, const Event* event) {
  SimgpuRecord record = NewRecord(SIMGPU_RECORD_SYNC, stream);
  record.sync_type = type;
  if (type == kSyncContext || type == kSyncEvent) record.stream_id = UINT32_MAX;  // CUPTI_SYNCHRONIZATION_INVALID_VALUE
  if (event != nullptr) {
    record.event_id = event->id;
    record.event_sync_id = event->serial;
  }
  EmitRecord(record, start, NowNs());
}

void EmitMemory(uint32_t operation, uint64_t address, uint64_t bytes, MemoryKind kind, Stream* stream, void* pool) {
  SimgpuRecord record = NewRecord(SIMGPU_RECORD_MEMORY, stream);
  record.memory_operation = operation;
  record.address = address;
  record.bytes = bytes;
  record.dst_kind = CuptiKind(kind);
  record.pool_address = reinterpret_cast<uint64_t>(pool);
  record.memory_async = stream != nullptr ? 1 : 0;
  const uint64_t now = NowNs();
  EmitRecord(record, now, now);
}

}  // namespace simgpu
