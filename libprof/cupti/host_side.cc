#include "cupti/host_side.h"

namespace slowtoken::cupti {
namespace {

constinit std::atomic<HostSide*> g_side{nullptr};

bool IsWork(CUgraphNodeType type) {
  return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY || type == CU_GRAPH_NODE_TYPE_MEMSET;
}

// The resource data of graph call-backs points to the graph's own struct (cupti_callbacks.h:470).
const CUpti_GraphData* GraphData(const void* data) {
  if (data == nullptr) return nullptr;
  return static_cast<const CUpti_GraphData*>(static_cast<const CUpti_ResourceData*>(data)->resourceDescriptor);
}

uint32_t ExecId(const HostSide& side, const CUpti_GraphData* graph) {
  uint32_t id = 0;
  if (graph == nullptr || side.api.get_graph_exec_id == nullptr) return 0;
  return side.api.get_graph_exec_id(graph->graphExec, &id) == CUPTI_SUCCESS ? id : 0;
}

void NoteExec(HostSide& side, GraphNote::Kind kind, const void* data) {
  const uint32_t id = ExecId(side, GraphData(data));
  if (id != 0) side.notes.Note(kind, id);
}

void OnResource(HostSide& side, CUpti_CallbackId id, const void* data) {
  switch (id) {
    case CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED:
      return side.notes.Note(GraphNote::Kind::kNodeCreated, 0);
    case CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED: {
      const CUpti_GraphData* graph = GraphData(data);
      if (graph != nullptr && IsWork(graph->nodeType)) side.notes.Note(GraphNote::Kind::kWorkCloned, 0);
      return;
    }
    case CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING:
      return side.notes.Note(GraphNote::Kind::kExecStarting, 0);
    case CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED:
      return NoteExec(side, GraphNote::Kind::kExecCreated, data);
    case CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING:
      return NoteExec(side, GraphNote::Kind::kExecDestroyed, data);
    default:
      return;
  }
}

// CUPTI has detached itself (cupti_callbacks.h:302): nothing of it may be called any more. The first error stands.
void OnFatalError(HostSide& side, const void* data) {
  if (!side.active() || side.fatal_seen.exchange(true)) return;
  const auto* state = static_cast<const CUpti_StateData*>(data);
  if (state != nullptr) {
    side.fatal_error = static_cast<int32_t>(state->notification.result);
    const char* text = state->notification.message;
    for (size_t i = 0; text != nullptr && text[i] != '\0' && i + 1 < sizeof side.fatal_message; ++i) {
      side.fatal_message[i] = text[i];
    }
  }
  side.state.store(HostSide::State::kLost, std::memory_order_release);
}

}  // namespace

void HostSide::Install(HostSide* side) { g_side.store(side, std::memory_order_release); }

uint32_t HostSide::Now(uint64_t* stamp) {
  const HostSide* side = g_side.load(std::memory_order_acquire);
  if (side == nullptr || !side->active() || side->api.get_timestamp == nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
  return side->api.get_timestamp(stamp);
}

void HostSide::BufferRequested(uint8_t** buffer, size_t* size, size_t* max_records) {
  BufferPool::Buffer given;
  HostSide* side = g_side.load(std::memory_order_acquire);
  if (side != nullptr) given = side->pool.Request(side->null_buffer);
  *buffer = given.data;
  *size = given.bytes;
  *max_records = 0;  // as many as fit
}

void HostSide::BufferCompleted(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid_bytes) {
  HostSide* side = g_side.load(std::memory_order_acquire);
  if (side != nullptr && buffer != nullptr) side->pool.Complete(buffer, valid_bytes);
}

void HostSide::OnCallback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  HostSide* side = g_side.load(std::memory_order_acquire);
  if (side == nullptr || !side->active()) return;
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) OnResource(*side, id, data);
  if (domain == CUPTI_CB_DOMAIN_STATE && id == CUPTI_CBID_STATE_FATAL_ERROR) OnFatalError(*side, data);
}

}  // namespace slowtoken::cupti
