#include "simgpu/cupti/records.h"

#include <unistd.h>

#include <climits>
#include <cstring>

#include "simgpu/cupti/attributes.h"
#include "simgpu/cupti/clock.h"
#include "simgpu/cupti/collection.h"
#include "simgpu/cupti/engine.h"
#include "simgpu/cupti/kernel_names.h"
#include "simgpu/cupti/thread_state.h"

namespace simgpu::cupti {
namespace {

// Constant for the life of the library's use: a forked child writes no records.
uint32_t ProcessId() {
  static const auto id = static_cast<uint32_t>(getpid());
  return id;
}

// Both time fields of a kernel that no call asked for (cupti_activity.h, CUPTI_TIMESTAMP_UNKNOWN).
uint64_t LatencyStamp(uint64_t monotonic_ns) {
  return TheSwitches().latency_timestamps.load(std::memory_order_relaxed) ? ToCupti(monotonic_ns)
                                                                          : CUPTI_TIMESTAMP_UNKNOWN;
}

void BuildKernel(const SimgpuRecord& in, CUpti_ActivityKernel10* out) {
  out->kind = KernelKind();
  out->registersPerThread = static_cast<uint16_t>(in.registers_per_thread);
  out->deviceId = in.device_id;
  out->contextId = in.context_id;
  out->streamId = in.stream_id;
  out->gridX = in.grid[0];
  out->gridY = in.grid[1];
  out->gridZ = in.grid[2];
  out->blockX = in.block[0];
  out->blockY = in.block[1];
  out->blockZ = in.block[2];
  out->staticSharedMemory = static_cast<int32_t>(in.static_shared);
  out->dynamicSharedMemory = static_cast<int32_t>(in.dynamic_shared);
  out->localMemoryPerThread = in.local_per_thread;
  out->localMemoryTotal = static_cast<uint32_t>(in.local_total);
  out->localMemoryTotal_v2 = in.local_total;
  out->correlationId = in.correlation_id;
  out->gridId = NextGridId();
  out->name = KernelNameForRecord(in.name);
  out->queued = LatencyStamp(in.queued_ns);
  out->submitted = LatencyStamp(in.submitted_ns);
  out->launchType =
      in.cooperative != 0 ? CUPTI_ACTIVITY_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE : CUPTI_ACTIVITY_LAUNCH_TYPE_REGULAR;
  out->sharedMemoryExecuted = in.shared_executed;
  out->graphNodeId = in.graph_node_id;
  out->graphId = in.graph_id;
  out->channelID = in.channel_id;
  out->channelType = static_cast<CUpti_ChannelType>(in.channel_type);
  out->clusterX = in.cluster[0];
  out->clusterY = in.cluster[1];
  out->clusterZ = in.cluster[2];
}

void BuildMemcpy(const SimgpuRecord& in, CUpti_ActivityMemcpy6* out) {
  out->kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  out->copyKind = static_cast<uint8_t>(in.copy_kind);
  out->srcKind = static_cast<uint8_t>(in.src_kind);
  out->dstKind = static_cast<uint8_t>(in.dst_kind);
  out->flags = static_cast<uint8_t>(in.flags);
  out->bytes = in.bytes;
  out->deviceId = in.device_id;
  out->contextId = in.context_id;
  out->streamId = in.stream_id;
  out->correlationId = in.correlation_id;
  out->runtimeCorrelationId = in.correlation_id;
  out->graphNodeId = in.graph_node_id;
  out->graphId = in.graph_id;
  out->channelID = in.channel_id;
  out->channelType = static_cast<CUpti_ChannelType>(in.channel_type);
  out->copyCount = in.copy_count != 0 ? in.copy_count : 1;
}

void BuildPeer(const SimgpuRecord& in, CUpti_ActivityMemcpyPtoP4* out) {
  out->kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
  out->copyKind = static_cast<uint8_t>(in.copy_kind);
  out->srcKind = static_cast<uint8_t>(in.src_kind);
  out->dstKind = static_cast<uint8_t>(in.dst_kind);
  out->flags = static_cast<uint8_t>(in.flags);
  out->bytes = in.bytes;
  out->deviceId = in.device_id;
  out->contextId = in.context_id;
  out->streamId = in.stream_id;
  out->srcDeviceId = in.src_device_id;
  out->srcContextId = in.src_context_id;
  out->dstDeviceId = in.dst_device_id;
  out->dstContextId = in.dst_context_id;
  out->correlationId = in.correlation_id;
  out->graphNodeId = in.graph_node_id;
  out->graphId = in.graph_id;
  out->channelID = in.channel_id;
  out->channelType = static_cast<CUpti_ChannelType>(in.channel_type);
}

void BuildMemset(const SimgpuRecord& in, CUpti_ActivityMemset4* out) {
  out->kind = CUPTI_ACTIVITY_KIND_MEMSET;
  out->value = in.memset_value;
  out->bytes = in.bytes;
  out->deviceId = in.device_id;
  out->contextId = in.context_id;
  out->streamId = in.stream_id;
  out->correlationId = in.correlation_id;
  out->flags = static_cast<uint16_t>(in.flags);
  out->memoryKind = static_cast<uint16_t>(in.dst_kind);
  out->graphNodeId = in.graph_node_id;
  out->graphId = in.graph_id;
  out->channelID = in.channel_id;
  out->channelType = static_cast<CUpti_ChannelType>(in.channel_type);
}

// Which ids a synchronisation record has depends on its type (cupti_activity.h:5090-5170).
void BuildSync(const SimgpuRecord& in, CUpti_ActivitySynchronization2* out) {
  const bool has_stream = in.sync_type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT ||
                          in.sync_type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
  const bool has_event = in.sync_type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT ||
                         in.sync_type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE;
  out->kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  out->type = static_cast<CUpti_ActivitySynchronizationType>(in.sync_type);
  out->correlationId = in.correlation_id;
  out->contextId = in.context_id;
  out->streamId = has_stream ? in.stream_id : static_cast<uint32_t>(CUPTI_SYNCHRONIZATION_INVALID_VALUE);
  out->cudaEventId = has_event ? in.event_id : static_cast<uint32_t>(CUPTI_SYNCHRONIZATION_INVALID_VALUE);
  out->cudaEventSyncId = has_event ? in.event_sync_id : static_cast<uint32_t>(CUPTI_SYNCHRONIZATION_INVALID_VALUE);
}

void BuildEvent(const SimgpuRecord& in, CUpti_ActivityCudaEvent2* out) {
  out->kind = CUPTI_ACTIVITY_KIND_CUDA_EVENT;
  out->correlationId = in.correlation_id;
  out->contextId = in.context_id;
  out->streamId = in.stream_id;
  out->eventId = in.event_id;
  out->deviceId = in.device_id;
  out->cudaEventSyncId = in.event_sync_id;
}

void BuildGraph(const SimgpuRecord& in, CUpti_ActivityGraphTrace2* out) {
  out->kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
  out->correlationId = in.correlation_id;
  out->deviceId = in.device_id;
  out->graphId = in.graph_id;
  out->contextId = in.context_id;
  out->streamId = in.stream_id;
  out->endDeviceId = in.device_id;
  out->endContextId = in.context_id;
}

void BuildMemory(const SimgpuRecord& in, CUpti_ActivityMemory4* out) {
  out->kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  out->memoryOperationType = static_cast<CUpti_ActivityMemoryOperationType>(in.memory_operation);
  out->memoryKind = static_cast<CUpti_ActivityMemoryKind>(in.dst_kind);
  out->correlationId = in.correlation_id;
  out->address = in.address;
  out->bytes = in.bytes;
  out->timestamp = ToCupti(in.queued_ns);
  out->processId = ProcessId();
  out->deviceId = in.device_id;
  out->contextId = in.context_id;
  out->streamId = in.memory_async != 0 ? in.stream_id : static_cast<uint32_t>(CUPTI_INVALID_STREAM_ID);
  out->isAsync = in.memory_async;
  out->memoryPoolConfig.address = in.pool_address;
}

}  // namespace

CUpti_ActivityKind BuildDeviceRecord(const SimgpuRecord& in, DeviceRecord* out) {
  std::memset(static_cast<void*>(out), 0, sizeof(*out));
  switch (in.kind) {
    case SIMGPU_RECORD_KERNEL:
      BuildKernel(in, &out->kernel);
      break;
    case SIMGPU_RECORD_MEMCPY:
      BuildMemcpy(in, &out->memcpy);
      break;
    case SIMGPU_RECORD_MEMCPY_PEER:
      BuildPeer(in, &out->peer);
      break;
    case SIMGPU_RECORD_MEMSET:
      BuildMemset(in, &out->memset);
      break;
    case SIMGPU_RECORD_SYNC:
      BuildSync(in, &out->sync);
      break;
    case SIMGPU_RECORD_EVENT:
      BuildEvent(in, &out->event);
      break;
    case SIMGPU_RECORD_GRAPH_TRACE:
      BuildGraph(in, &out->graph);
      break;
    case SIMGPU_RECORD_MEMORY:
      BuildMemory(in, &out->memory);
      break;
    default:
      return CUPTI_ACTIVITY_KIND_INVALID;
  }
  return static_cast<CUpti_ActivityKind>(KindOf(out));
}

void StampRecord(uint8_t* record, uint32_t kind, uint64_t start, uint64_t end) {
  const auto set = [start, end](auto* typed) {
    typed->start = start;
    typed->end = end;
  };
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      set(reinterpret_cast<CUpti_ActivityKernel10*>(record));
      reinterpret_cast<CUpti_ActivityKernel10*>(record)->completed = end;
      break;
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      set(reinterpret_cast<CUpti_ActivityMemcpy6*>(record));
      break;
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      set(reinterpret_cast<CUpti_ActivityMemcpyPtoP4*>(record));
      break;
    case CUPTI_ACTIVITY_KIND_MEMSET:
      set(reinterpret_cast<CUpti_ActivityMemset4*>(record));
      break;
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      set(reinterpret_cast<CUpti_ActivitySynchronization2*>(record));
      break;
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      set(reinterpret_cast<CUpti_ActivityGraphTrace2*>(record));
      break;
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT:
      if (TheSwitches().event_device_timestamps.load())
        reinterpret_cast<CUpti_ActivityCudaEvent2*>(record)->deviceTimestamp = end;
      break;
    default:
      break;
  }
}

uint32_t ThreadIdForRecords() {
  const ThreadState& thread = ThisThread();
  const bool system =
      TheSwitches().thread_id_type.load(std::memory_order_relaxed) == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM;
  return system ? thread.system_id : thread.pthread_id;
}

CUpti_ActivityAPI MakeApiRecord(const SimgpuApiCall& call, uint32_t cbid, uint64_t start, uint64_t end) {
  CUpti_ActivityAPI record{};
  record.kind = call.domain == SIMGPU_DOMAIN_RUNTIME ? CUPTI_ACTIVITY_KIND_RUNTIME : CUPTI_ACTIVITY_KIND_DRIVER;
  record.cbid = cbid;
  record.start = start;
  record.end = end;
  record.processId = ProcessId();
  record.threadId = ThreadIdForRecords();
  record.correlationId = call.correlation_id;
  record.returnValue = call.return_value != nullptr ? *static_cast<const uint32_t*>(call.return_value) : 0;
  return record;
}

CUpti_ActivityOverhead3 MakeOverhead(CUpti_ActivityOverheadKind kind, uint64_t start, uint64_t end) {
  CUpti_ActivityOverhead3 record{};
  record.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  record.overheadKind = kind;
  record.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  record.objectId.pt.processId = ProcessId();
  record.objectId.pt.threadId = ThreadIdForRecords();
  record.start = start;
  record.end = end;
  const SimgpuEngineApi* engine = ConnectedEngine();
  const bool flush = kind == CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH;  // has none (cupti_activity.h, Overhead3)
  record.correlationId = engine != nullptr && !flush ? engine->current_correlation_id() : 0;
  return record;
}

CUpti_ActivityExternalCorrelation MakeExternal(CUpti_ExternalCorrelationKind kind, uint64_t id,
                                               uint32_t correlation_id) {
  CUpti_ActivityExternalCorrelation record{};
  record.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
  record.externalKind = kind;
  record.externalId = id;
  record.correlationId = correlation_id;
  return record;
}

}  // namespace simgpu::cupti
