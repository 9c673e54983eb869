// The exported Activity API: attributes, switches, external correlation, thread ids.
#include <cupti.h>

#include "simgpu/cupti/attributes.h"
#include "simgpu/cupti/entry.h"
#include "simgpu/cupti/thread_state.h"

using namespace simgpu::cupti;  // NOLINT: this file is nothing but the C surface of that namespace

namespace {

constexpr uint32_t kSetting = kNeedsDriver;

bool ValidExternal(CUpti_ExternalCorrelationKind kind) {
  return kind > CUPTI_EXTERNAL_CORRELATION_KIND_INVALID && kind < CUPTI_EXTERNAL_CORRELATION_KIND_SIZE;
}

}  // namespace

extern "C" {

CUptiResult cuptiActivityGetAttribute(CUpti_ActivityAttribute attribute, size_t* size, void* value) {
  SIMCUPTI_ENTER(cuptiActivityGetAttribute, kSetting);
  return Done(Attributes().Get(attribute, size, value));
}

CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, size_t* size, void* value) {
  SIMCUPTI_ENTER(cuptiActivitySetAttribute, kSetting);
  return Done(Attributes().Set(attribute, size, value));
}

CUptiResult cuptiActivityEnableLatencyTimestamps(uint8_t enable) {
  SIMCUPTI_ENTER(cuptiActivityEnableLatencyTimestamps, kSetting);
  TheSwitches().latency_timestamps.store(enable != 0);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnableLaunchAttributes(uint8_t enable) {
  SIMCUPTI_ENTER(cuptiActivityEnableLaunchAttributes, kSetting);
  TheSwitches().launch_attributes.store(enable != 0);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnableAllSyncRecords(uint8_t enable) {
  SIMCUPTI_ENTER(cuptiActivityEnableAllSyncRecords, kSetting);
  TheSwitches().all_sync_records.store(enable != 0);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t enable) {
  SIMCUPTI_ENTER(cuptiActivityEnableCudaEventDeviceTimestamps, kSetting);
  TheSwitches().event_device_timestamps.store(enable != 0);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnableDeviceGraph(uint8_t enable) {
  SIMCUPTI_ENTER(cuptiActivityEnableDeviceGraph, kSetting);
  TheSwitches().device_graph.store(enable != 0);
  return CUPTI_SUCCESS;
}

// Hardware trace needs Blackwell; the simulated device is a Hopper.
CUptiResult cuptiActivityEnableHWTrace(uint8_t) {
  SIMCUPTI_ENTER(cuptiActivityEnableHWTrace, kSetting);
  return Done(CUPTI_ERROR_NOT_SUPPORTED);
}

CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id) {
  SIMCUPTI_ENTER(cuptiActivityPushExternalCorrelationId, kSetting);
  if (!ValidExternal(kind)) return Done(CUPTI_ERROR_INVALID_PARAMETER);
  ThisThread().external[kind].push_back(id);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t* last_id) {
  SIMCUPTI_ENTER(cuptiActivityPopExternalCorrelationId, kSetting);
  if (!ValidExternal(kind)) return Done(CUPTI_ERROR_INVALID_PARAMETER);
  auto& stack = ThisThread().external[kind];
  if (stack.empty()) return Done(CUPTI_ERROR_QUEUE_EMPTY);
  if (last_id != nullptr) *last_id = stack.back();
  stack.pop_back();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {
  SIMCUPTI_ENTER(cuptiSetThreadIdType, kNeedsNothing);
  if (type < CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT || type >= CUPTI_ACTIVITY_THREAD_ID_TYPE_SIZE)
    return Done(CUPTI_ERROR_NOT_SUPPORTED);
  TheSwitches().thread_id_type.store(type);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetThreadIdType(CUpti_ActivityThreadIdType* type) {
  SIMCUPTI_ENTER(cuptiGetThreadIdType, kNeedsNothing);
  if (type == nullptr) return Done(CUPTI_ERROR_INVALID_PARAMETER);
  *type = TheSwitches().thread_id_type.load();
  return CUPTI_SUCCESS;
}

}  // extern "C"
