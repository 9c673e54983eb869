// Exported questions: version, ids of contexts, streams and graphs, texts of results; and the stand-in's own counters.
#include <cupti.h>

#include <array>
#include <utility>

#include "simgpu/cupti/attributes.h"
#include "simgpu/cupti/callbacks.h"
#include "simgpu/cupti/engine.h"
#include "simgpu/cupti/entry.h"
#include "simgpu/cupti/recorder.h"
#include "simgpu/cupti/simcupti.h"
#include "simgpu/cupti/thread_state.h"

using namespace simgpu::cupti;  // NOLINT: this file is nothing but the C surface of that namespace

namespace {

#define RESULT(name) \
  std::pair<CUptiResult, const char*> { name, #name }
constexpr std::array kResults = {
    RESULT(CUPTI_SUCCESS),
    RESULT(CUPTI_ERROR_INVALID_PARAMETER),
    RESULT(CUPTI_ERROR_INVALID_DEVICE),
    RESULT(CUPTI_ERROR_INVALID_CONTEXT),
    RESULT(CUPTI_ERROR_INVALID_EVENT_DOMAIN_ID),
    RESULT(CUPTI_ERROR_INVALID_EVENT_ID),
    RESULT(CUPTI_ERROR_INVALID_EVENT_NAME),
    RESULT(CUPTI_ERROR_INVALID_OPERATION),
    RESULT(CUPTI_ERROR_OUT_OF_MEMORY),
    RESULT(CUPTI_ERROR_HARDWARE),
    RESULT(CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT),
    RESULT(CUPTI_ERROR_API_NOT_IMPLEMENTED),
    RESULT(CUPTI_ERROR_MAX_LIMIT_REACHED),
    RESULT(CUPTI_ERROR_NOT_READY),
    RESULT(CUPTI_ERROR_NOT_COMPATIBLE),
    RESULT(CUPTI_ERROR_NOT_INITIALIZED),
    RESULT(CUPTI_ERROR_INVALID_METRIC_ID),
    RESULT(CUPTI_ERROR_INVALID_METRIC_NAME),
    RESULT(CUPTI_ERROR_QUEUE_EMPTY),
    RESULT(CUPTI_ERROR_INVALID_HANDLE),
    RESULT(CUPTI_ERROR_INVALID_STREAM),
    RESULT(CUPTI_ERROR_INVALID_KIND),
    RESULT(CUPTI_ERROR_INVALID_EVENT_VALUE),
    RESULT(CUPTI_ERROR_DISABLED),
    RESULT(CUPTI_ERROR_INVALID_MODULE),
    RESULT(CUPTI_ERROR_INVALID_METRIC_VALUE),
    RESULT(CUPTI_ERROR_HARDWARE_BUSY),
    RESULT(CUPTI_ERROR_NOT_SUPPORTED),
    RESULT(CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED),
    RESULT(CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED_ON_DEVICE),
    RESULT(CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED_ON_NON_P2P_DEVICES),
    RESULT(CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED_WITH_MPS),
    RESULT(CUPTI_ERROR_CDP_TRACING_NOT_SUPPORTED),
    RESULT(CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED),
    RESULT(CUPTI_ERROR_CUDA_COMPILER_NOT_COMPATIBLE),
    RESULT(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES),
    // 36 and 37 have no text in the 13.0 library.
    RESULT(CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED),
    RESULT(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED),
    RESULT(CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES),
    RESULT(CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED),
    RESULT(CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED),
    RESULT(CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED),
    RESULT(CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED),
    RESULT(CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED),
    RESULT(CUPTI_ERROR_INVALID_CHIP_NAME),
    RESULT(CUPTI_ERROR_UNKNOWN),
};
#undef RESULT

const char* ResultText(CUptiResult result) {
  for (const auto& [value, text] : kResults) {
    if (value == result) return text;
  }
  return nullptr;
}

}  // namespace

extern "C" {

CUptiResult cuptiGetVersion(uint32_t* version) {
  SIMCUPTI_ENTER(cuptiGetVersion, kHarmless);
  if (version == nullptr) return Done(CUPTI_ERROR_INVALID_PARAMETER);
  *version = ReportedVersion();
  return CUPTI_SUCCESS;
}

// An unknown result is named too, with an error, as the 13.0 library does.
CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  SIMCUPTI_ENTER(cuptiGetResultString, kHarmless);
  if (text == nullptr) return Done(CUPTI_ERROR_INVALID_PARAMETER);
  const char* known = ResultText(result);
  *text = known != nullptr ? known : "<unknown>";
  return Done(known != nullptr ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER);
}

CUptiResult cuptiGetErrorMessage(CUptiResult result, const char** text) {
  SIMCUPTI_ENTER(cuptiGetErrorMessage, kHarmless);
  if (text == nullptr) return Done(CUPTI_ERROR_INVALID_PARAMETER);
  const char* known = ResultText(result);
  *text = known != nullptr ? known : "<unknown>";
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetLastError(void) {
  SIMCUPTI_ENTER(cuptiGetLastError, kHarmless);
  return std::exchange(ThisThread().last_error, CUPTI_SUCCESS);
}

CUptiResult cuptiGetContextId(CUcontext context, uint32_t* id) {
  SIMCUPTI_ENTER(cuptiGetContextId, kNeedsDriver);
  if (id == nullptr) return Done(CUPTI_ERROR_INVALID_PARAMETER);
  const uint32_t found = context != nullptr ? Engine()->context_id(context) : 0;
  if (found == 0) return Done(CUPTI_ERROR_INVALID_CONTEXT);
  *id = found;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetDeviceId(CUcontext context, uint32_t* id) {
  SIMCUPTI_ENTER(cuptiGetDeviceId, kNeedsDriver);
  if (id == nullptr) return Done(CUPTI_ERROR_INVALID_PARAMETER);
  const int32_t device = Engine()->context_device(context != nullptr ? context : Engine()->current_context());
  if (device < 0) return Done(CUPTI_ERROR_INVALID_DEVICE);
  *id = static_cast<uint32_t>(device);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetStreamIdEx(CUcontext context, CUstream stream, uint8_t per_thread, uint32_t* id) {
  SIMCUPTI_ENTER(cuptiGetStreamIdEx, kNeedsDriver);
  if (id == nullptr) return Done(CUPTI_ERROR_INVALID_PARAMETER);
  const uint32_t found = Engine()->stream_id(context, stream, per_thread != 0 ? 1 : 0);
  if (found == 0) return Done(CUPTI_ERROR_INVALID_STREAM);
  *id = found;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetStreamId(CUcontext context, CUstream stream, uint32_t* id) {
  SIMCUPTI_ENTER(cuptiGetStreamId, kNeedsDriver);
  return cuptiGetStreamIdEx(context, stream, 0, id);
}

CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t* id) {
  SIMCUPTI_ENTER(cuptiGetGraphNodeId, kNeedsDriver);
  const uint64_t found = node != nullptr && id != nullptr ? Engine()->graph_node_id(node) : 0;
  if (found == 0) return Done(CUPTI_ERROR_INVALID_PARAMETER);
  *id = found;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetGraphId(CUgraph graph, uint32_t* id) {
  SIMCUPTI_ENTER(cuptiGetGraphId, kNeedsDriver);
  const uint32_t found = graph != nullptr && id != nullptr ? Engine()->graph_id(graph) : 0;
  if (found == 0) return Done(CUPTI_ERROR_INVALID_PARAMETER);
  *id = found;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetGraphExecId(CUgraphExec exec, uint32_t* id) {
  SIMCUPTI_ENTER(cuptiGetGraphExecId, kNeedsDriver);
  const uint32_t found = exec != nullptr && id != nullptr ? Engine()->graph_exec_id(exec) : 0;
  if (found == 0) return Done(CUPTI_ERROR_INVALID_PARAMETER);
  *id = found;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiDeviceSupported(CUdevice device, int* support) {
  SIMCUPTI_ENTER(cuptiDeviceSupported, kNeedsDriver);
  if (support == nullptr) return Done(CUPTI_ERROR_INVALID_PARAMETER);
  if (device < 0 || static_cast<uint32_t>(device) >= Engine()->device_count()) return Done(CUPTI_ERROR_INVALID_DEVICE);
  *support = 1;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiDeviceVirtualizationMode(CUdevice device, CUpti_DeviceVirtualizationMode* mode) {
  SIMCUPTI_ENTER(cuptiDeviceVirtualizationMode, kNeedsDriver);
  if (mode == nullptr) return Done(CUPTI_ERROR_INVALID_PARAMETER);
  if (device < 0 || static_cast<uint32_t>(device) >= Engine()->device_count()) return Done(CUPTI_ERROR_INVALID_DEVICE);
  *mode = CUPTI_DEVICE_VIRTUALIZATION_MODE_NONE;
  return CUPTI_SUCCESS;
}

void simcuptiStats(SimcuptiStats* out) {
  TheRecorder().FillStats(out);
  out->callbacks = CallbackCount();
}

}  // extern "C"
