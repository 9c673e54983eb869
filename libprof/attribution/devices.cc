#include "attribution/devices.h"

#include <algorithm>

namespace slowtoken::attribution {

bool Devices::Init(base::Arena& arena, const record::Dictionary& dictionary) {
  dictionary_ = &dictionary;
  lane_index_ = arena.AllocateArray<uint8_t>(kLanesKept);
  return !lane_index_.empty();
}

uint32_t Devices::FindOrAdd(record::ProcessIndex process, uint32_t ordinal) {
  for (uint32_t i = 0; i < count_; ++i) {
    if (devices_[i].process == process && devices_[i].ordinal == ordinal) return i;
  }
  if (count_ == kMost) return kMost;
  devices_[count_].process = process;
  devices_[count_].ordinal = ordinal;
  devices_[count_].same = uint64_t{1} << count_;
  return count_++;
}

void Devices::Add(const record::DeviceInfo& info) {
  const uint32_t index = FindOrAdd(info.process, info.ordinal);
  if (index == kMost || !info.has_uuid()) return;
  Device& device = devices_[index];
  device.has_uuid = true;
  std::copy(std::begin(info.uuid), std::end(info.uuid), device.uuid.begin());
  uint64_t same = 0;
  for (uint32_t i = 0; i < count_; ++i) {
    if (devices_[i].has_uuid && devices_[i].uuid == device.uuid) same |= uint64_t{1} << i;
  }
  for (uint32_t i = 0; i < count_; ++i) {
    if ((same >> i & 1) != 0) devices_[i].same = same;
  }
}

uint8_t Devices::LookUp(record::LaneId lane, record::ProcessIndex process) {
  const auto index = static_cast<uint8_t>(FindOrAdd(process, dictionary_->lane(lane).device));
  if (lane < lane_index_.size()) lane_index_[lane] = static_cast<uint8_t>(index + 1);
  return index;
}

uint64_t Devices::Widen(uint64_t mask) const {
  uint64_t wide = mask;
  for (uint32_t i = 0; i < count_; ++i) {
    if ((mask >> i & 1) != 0) wide |= devices_[i].same;
  }
  return wide;
}

}  // namespace slowtoken::attribution
