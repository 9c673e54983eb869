#include "simgpu/cupti/resources.h"

#include <vector>

#include "simgpu/cupti/callbacks.h"
#include "simgpu/cupti/clock.h"
#include "simgpu/cupti/collection.h"
#include "simgpu/cupti/emit.h"
#include "simgpu/cupti/engine.h"
#include "simgpu/cupti/kernel_names.h"
#include "simgpu/cupti/records.h"

namespace simgpu::cupti {
namespace {

constexpr uint32_t kSynchronizeBase = 100;  // SIMGPU_STREAM_SYNCHRONIZED = 100 + CUpti_CallbackIdSync
constexpr uint32_t kNullStreamId = 7;

void EmitDevices() {
  const SimgpuEngineApi& engine = *ConnectedEngine();
  for (uint32_t i = 0; i < engine.device_count(); ++i) {
    SimgpuDeviceInfo info{};
    info.struct_size = sizeof(info);
    if (engine.device_info(i, &info) != 0) continue;
    const auto record = MakeDevice(info);
    EmitComplete(&record, sizeof(record), 0);
  }
}

void EmitContext(uint32_t context_id, uint32_t device_id) {
  const auto record = MakeContext(context_id, device_id);
  EmitComplete(&record, sizeof(record), context_id);
}

void EmitNullStream(uint32_t context_id) {
  const auto record = MakeStream(context_id, kNullStreamId, CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL, 0);
  EmitComplete(&record, sizeof(record), context_id);
}

void EmitStream(CUctx_st* context, uint32_t context_id, CUstream_st* stream, uint32_t stream_id) {
  uint32_t flags = 0;
  int32_t priority = 0;
  if (ConnectedEngine()->stream_attributes(context, stream, &flags, &priority) != 0) flags = 0;
  // CU_STREAM_NON_BLOCKING is 1.
  const auto flag =
      (flags & 1u) != 0 ? CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING : CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT;
  auto record = MakeStream(context_id, stream_id, flag, static_cast<uint32_t>(priority));
  record.correlationId = ConnectedEngine()->current_correlation_id();
  EmitComplete(&record, sizeof(record), context_id);
}

void EmitRecords(const SimgpuResourceEvent& event) {
  if (event.kind == SIMGPU_CU_INIT_FINISHED && Collecting(CUPTI_ACTIVITY_KIND_DEVICE)) EmitDevices();
  if (event.kind == SIMGPU_CONTEXT_CREATED) {
    if (Collecting(CUPTI_ACTIVITY_KIND_CONTEXT)) EmitContext(event.context_uid, event.device_id);
    if (Collecting(CUPTI_ACTIVITY_KIND_STREAM)) EmitNullStream(event.context_uid);
    if (Collecting(CUPTI_ACTIVITY_KIND_OVERHEAD)) {
      const uint64_t now = NowCupti();
      const auto record = MakeOverhead(CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE, now, now);
      EmitComplete(&record, sizeof(record), event.context_uid);
    }
  }
  if (event.kind == SIMGPU_STREAM_CREATED && Collecting(CUPTI_ACTIVITY_KIND_STREAM) && event.stream != nullptr) {
    EmitStream(event.context, event.context_uid, event.stream, event.stream_id);
  }
}

bool IsGraphEvent(uint32_t kind) {
  return (kind >= SIMGPU_GRAPH_CREATED && kind <= SIMGPU_GRAPHNODE_CLONED) || kind == SIMGPU_GRAPH_NODE_UPDATED;
}

void DispatchResource(const SimgpuResourceEvent& event) {
  if (!CallbackEnabled(CUPTI_CB_DOMAIN_RESOURCE, event.kind)) return;
  CUpti_ModuleResourceData module{event.module_id, event.cubin_size, static_cast<const char*>(event.cubin)};
  CUpti_GraphData graph{};
  CUpti_ResourceData data{};
  data.context = event.context;
  data.resourceHandle.stream = event.stream;
  if (event.kind == SIMGPU_MODULE_LOADED || event.kind == SIMGPU_MODULE_UNLOAD_STARTING)
    data.resourceDescriptor = &module;
  if (IsGraphEvent(event.kind)) {
    graph = {event.graph,
             event.original_graph,
             event.node,
             event.original_node,
             static_cast<CUgraphNodeType>(event.node_type),
             event.dependency,
             event.exec};
    data.resourceDescriptor = &graph;
  }
  Dispatch(CUPTI_CB_DOMAIN_RESOURCE, event.kind, &data, "a resource event", false);
}

void DispatchSynchronize(const SimgpuResourceEvent& event) {
  const uint32_t cbid = event.kind - kSynchronizeBase;
  const CUpti_SynchronizeData data{event.context, event.stream};
  Dispatch(CUPTI_CB_DOMAIN_SYNCHRONIZE, cbid, &data, "a synchronisation", false);
}

std::vector<CUctx_st*> Contexts() {
  const SimgpuEngineApi& engine = *ConnectedEngine();
  std::vector<CUctx_st*> contexts(engine.contexts(nullptr, 0));
  contexts.resize(
      std::min<size_t>(contexts.size(), engine.contexts(contexts.data(), static_cast<uint32_t>(contexts.size()))));
  return contexts;
}

void DumpStreams(CUctx_st* context) {
  const SimgpuEngineApi& engine = *ConnectedEngine();
  const uint32_t context_id = engine.context_id(context);
  EmitNullStream(context_id);
  std::vector<CUstream_st*> streams(engine.streams(context, nullptr, 0));
  streams.resize(
      std::min<size_t>(streams.size(), engine.streams(context, streams.data(), static_cast<uint32_t>(streams.size()))));
  for (CUstream_st* stream : streams) EmitStream(context, context_id, stream, engine.stream_id(context, stream, 0));
}

}  // namespace

void OnResource(const SimgpuResourceEvent* event) {
  EmitRecords(*event);
  if (event->kind == SIMGPU_MODULE_UNLOAD_STARTING) RecycleNames();
  if (event->kind > kSynchronizeBase) {
    DispatchSynchronize(*event);
  } else {
    DispatchResource(*event);
  }
}

void DumpExisting(CUpti_ActivityKind kind) {
  if (ConnectedEngine() == nullptr || ConnectedEngine()->initialized() == 0) return;
  if (kind == CUPTI_ACTIVITY_KIND_DEVICE) EmitDevices();
  for (CUctx_st* context : Contexts()) {
    const auto device = ConnectedEngine()->context_device(context);
    if (kind == CUPTI_ACTIVITY_KIND_CONTEXT)
      EmitContext(ConnectedEngine()->context_id(context), static_cast<uint32_t>(device));
    if (kind == CUPTI_ACTIVITY_KIND_STREAM) DumpStreams(context);
  }
}

}  // namespace simgpu::cupti
