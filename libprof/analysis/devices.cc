#include "analysis/devices.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "analysis/text_safety.h"

namespace slowtoken::analysis {

std::string UuidText(const uint8_t (&uuid)[16], bool mig) {
  std::string text = mig ? "MIG" : "GPU";
  for (size_t i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    absl::StrAppendFormat(&text, "%02x", uuid[i]);
  }
  return text;
}

namespace {

std::string UnknownUuid(record::ProcessIndex process, uint32_t ordinal) {
  return absl::StrCat("unknown-", process, "-", ordinal);
}

}  // namespace

Device& Devices::Make(std::string uuid) {
  Device*& device = by_uuid_[uuid];
  if (device == nullptr) {
    device = &devices_.emplace_back(*places_);
    device->uuid = std::move(uuid);
  }
  return *device;
}

void Devices::Add(const record::DeviceInfo& info) {
  Device*& device = by_ordinal_[{info.process, info.ordinal}];
  const std::string uuid = info.has_uuid() ? UuidText(info.uuid, info.is_mig) : UnknownUuid(info.process, info.ordinal);
  if (device == nullptr) {
    device = &Make(uuid);
  } else if (device->uuid.starts_with("unknown-") && !by_uuid_.contains(uuid)) {
    by_uuid_.erase(device->uuid);  // its work came first: now it has a name
    device->uuid = uuid;
    by_uuid_[uuid] = device;
  }
  device->name = SafeText(dictionary_->text(info.name), 128);
  device->mig = info.is_mig;
  device->memory_bytes = info.memory_bytes;
}

DeviceTimeline& Devices::NewTimelineOf(record::LaneId lane) {
  if (lane >= device_of_lane_.size()) device_of_lane_.resize(lane + size_t{1}, nullptr);
  const record::Lane& where = dictionary_->lane(lane);
  Device*& device = by_ordinal_[{where.process, where.device}];
  if (device == nullptr) device = &Make(UnknownUuid(where.process, where.device));
  device->processes.insert(where.process);
  device_of_lane_[lane] = device;
  return device->timeline;
}

}  // namespace slowtoken::analysis
