// What exists: devices, contexts, streams. Each is passed on once.
#include <cstring>

#include "cupti/decode.h"

namespace slowtoken::cupti {

void Decode(const DeviceRecord& r, DecodeState& state, capture::CollectContext& context) {
  const uint64_t bit = r.id < 64 ? uint64_t{1} << r.id : 0;
  if ((state.devices_seen & bit) != 0) return;
  state.devices_seen |= bit;
  record::DeviceInfo device;
  device.is_mig = r.isMigEnabled != 0;
  static_assert(sizeof device.uuid == sizeof r.uuid);
  memcpy(device.uuid, device.is_mig ? &r.migUuid : &r.uuid, sizeof device.uuid);
  device.ordinal = r.id;
  device.name = r.name == nullptr ? 0 : context.dictionary.InternText(r.name);
  device.sm_count = r.numMultiprocessors;
  device.compute_major = r.computeCapabilityMajor;
  device.compute_minor = r.computeCapabilityMinor;
  device.memory_bytes = r.globalMemorySize;
  device.memory_bandwidth = r.globalMemoryBandwidth * 1000;  // cupti_activity.h:3882: kBytes/sec
  device.core_clock_khz = r.coreClockRate;
  context.out.On(device);
}

void Decode(const ContextRecord& r, DecodeState& state, capture::CollectContext& context) {
  if (!state.lanes.AddContext(r.contextId, r.deviceId)) return;
  context.out.On(record::ContextInfo{.context = r.contextId, .device = r.deviceId});
}

void Decode(const StreamRecord& r, DecodeState&, capture::CollectContext& context) {
  context.out.On(
      record::StreamInfo{.stream = r.streamId, .context = r.contextId, .priority = static_cast<int32_t>(r.priority)});
}

}  // namespace slowtoken::cupti
