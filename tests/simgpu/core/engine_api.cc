// The two exported tables of the engine: for the tool (tool_interface.h) and for programs (program_interface.h).
#include <cstdlib>

#include "simgpu/core/clock.h"
#include "simgpu/core/context.h"
#include "simgpu/core/cost_model.h"
#include "simgpu/core/device.h"
#include "simgpu/core/faults.h"
#include "simgpu/core/graph_exec.h"
#include "simgpu/core/lifecycle.h"
#include "simgpu/core/memory.h"
#include "simgpu/core/names.h"
#include "simgpu/core/program_interface.h"
#include "simgpu/core/stream.h"
#include "simgpu/core/thread_state.h"
#include "simgpu/core/timeline.h"
#include "simgpu/core/tool.h"

namespace simgpu {
namespace {

Context* Of(CUctx_st* handle) { return handle == nullptr ? CurrentContext() : ContextFrom(handle); }

Stream* StreamOf(CUctx_st* context_handle, CUstream_st* handle, bool per_thread) {
  Context* context = Of(context_handle);
  if (context == nullptr) return nullptr;
  if (handle == CU_STREAM_LEGACY || (handle == nullptr && !per_thread)) return context->legacy;
  return ResolveStream(handle, per_thread);
}

uint32_t Contexts(CUctx_st** out, uint32_t capacity) {
  const auto all = AllContexts();
  for (uint32_t i = 0; i < capacity && i < all.size(); ++i) out[i] = reinterpret_cast<CUctx_st*>(all[i]);
  return static_cast<uint32_t>(all.size());
}

uint32_t Streams(CUctx_st* handle, CUstream_st** out, uint32_t capacity) {
  Context* context = Of(handle);
  if (context == nullptr) return 0;
  std::lock_guard lock(context->mutex);
  for (uint32_t i = 0; i < capacity && i < context->streams.size(); ++i)
    out[i] = reinterpret_cast<CUstream_st*>(context->streams[i]);
  return static_cast<uint32_t>(context->streams.size());
}

int StreamAttributes(CUctx_st* context, CUstream_st* handle, uint32_t* flags, int32_t* priority) {
  const Stream* stream = StreamOf(context, handle, false);
  if (stream == nullptr) return -1;
  *flags = stream->flags;
  *priority = stream->priority;
  return 0;
}

uint32_t Seed() {
  const char* text = std::getenv("SIMGPU_SEED");
  return text != nullptr ? static_cast<uint32_t>(std::strtoul(text, nullptr, 0)) : 1;
}

SimgpuEngineApi MakeEngineApi() {
  SimgpuEngineApi api{};
  api.struct_size = sizeof(api);
  api.version = SIMGPU_TOOL_INTERFACE_VERSION;
  api.now_ns = NowNs;
  api.wall_ns = WallNs;
  api.pump = [] { TheTimeline().Pump(); };
  api.outstanding = [] { return TheTimeline().Outstanding(); };
  api.synchronize = [] { TheTimeline().WaitContext(nullptr); };
  api.initialized = []() -> int { return IsInitialized(); };
  api.end_state = EndState;
  api.current_correlation_id = [] { return Thread().depth > 0 ? Thread().correlation : 0; };
  api.next_correlation_id = NextCorrelation;
  api.set_correlation_id = SetNextCorrelation;
  api.api_name = ApiName;
  api.api_cbid = ApiCbid;
  api.api_count = ApiCount;
  api.device_count = [] { return static_cast<uint32_t>(DeviceCount()); };
  api.device_info = [](uint32_t ordinal, SimgpuDeviceInfo* info) {
    return DescribeDevice(static_cast<int>(ordinal), info) ? 0 : -1;
  };
  api.current_context = [] { return reinterpret_cast<CUctx_st*>(CurrentContext()); };
  api.context_id = [](CUctx_st* handle) { return Of(handle) != nullptr ? Of(handle)->uid : 0; };
  api.context_device = [](CUctx_st* handle) { return Of(handle) != nullptr ? Of(handle)->device : -1; };
  api.contexts = Contexts;
  api.streams = Streams;
  api.stream_id = [](CUctx_st* context, CUstream_st* handle, int per_thread) {
    const Stream* stream = StreamOf(context, handle, per_thread != 0);
    return stream != nullptr ? stream->id : 0;
  };
  api.stream_attributes = StreamAttributes;
  api.graph_id = [](CUgraph_st* handle) { return GraphFrom(handle) != nullptr ? GraphFrom(handle)->id : 0; };
  api.graph_exec_id = [](CUgraphExec_st* handle) { return ExecFrom(handle) != nullptr ? ExecFrom(handle)->id : 0; };
  api.graph_node_id = [](CUgraphNode_st* handle) { return NodeFrom(handle) != nullptr ? NodeFrom(handle)->id : 0; };
  api.fault = [](const char* point, SimgpuFault* out) -> int { return Fault(point, out); };
  api.fault_peek = [](const char* point, SimgpuFault* out) -> int { return FaultPeek(point, out); };
  api.seed = Seed;
  api.library_path = LibraryPath;
  return api;
}

SimgpuProgramApi MakeProgramApi() {
  SimgpuProgramApi api{};
  api.struct_size = sizeof(api);
  api.set_cost = SetCost;
  api.set_cost_function = SetCostFunction;
  api.set_body = SetBody;
  api.host_pointer = [](const void* address) -> void* {
    return Classify(address).kind == MemoryKind::kPageable ? nullptr : HostAlias(address);
  };
  api.model_cost = ModelCost;
  api.library_path = LibraryPath;
  return api;
}

}  // namespace
}  // namespace simgpu

extern "C" {

__attribute__((visibility("default"))) const SimgpuEngineApi* simgpuEngine(void) {
  static const SimgpuEngineApi* api = new SimgpuEngineApi(simgpu::MakeEngineApi());
  return api;
}

__attribute__((visibility("default"))) const SimgpuEngineApi* simgpuAttachTool(const SimgpuToolHooks* hooks) {
  if (hooks != nullptr && hooks->version != SIMGPU_TOOL_INTERFACE_VERSION) return nullptr;
  simgpu::AttachTool(hooks);
  return simgpuEngine();
}

__attribute__((visibility("default"))) const SimgpuProgramApi* simgpuProgram(void) {
  static const SimgpuProgramApi* api = new SimgpuProgramApi(simgpu::MakeProgramApi());
  return api;
}

}  // extern "C"
