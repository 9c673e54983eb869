// Devices: which device a lane of GPU work belongs to, and the timeline of each. Devices are told apart by UUID (of the
// MIG instance where there is one), so that processes that share a device share its timeline; a device whose UUID was
// not recorded is one of its process alone. A lane is resolved once, then it is an array access. Single threaded.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/device_timeline.h"
#include "record/dictionary.h"
#include "record/resources.h"

namespace slowtoken::analysis {

struct Device {
  std::string uuid;  // "GPU-…" or "MIG-…"; "unknown-<process>-<ordinal>" where it was not recorded
  std::string name;  // safe; empty if unknown
  bool mig = false;
  uint64_t memory_bytes = 0;
  std::set<record::ProcessIndex> processes;  // that used it
  DeviceTimeline timeline;

  explicit Device(LaunchPlaces& places) : timeline(places) {}
};

class Devices {
 public:
  Devices(const record::Dictionary& dictionary, LaunchPlaces& places) : dictionary_(&dictionary), places_(&places) {}

  void Add(const record::DeviceInfo& info);
  DeviceTimeline& TimelineOf(record::LaneId lane) {
    if (lane < device_of_lane_.size() && device_of_lane_[lane] != nullptr) return device_of_lane_[lane]->timeline;
    return NewTimelineOf(lane);
  }

  std::deque<Device>& all() { return devices_; }
  const std::deque<Device>& all() const { return devices_; }

 private:
  using Ordinal = std::pair<record::ProcessIndex, uint32_t>;
  Device& Make(std::string uuid);
  DeviceTimeline& NewTimelineOf(record::LaneId lane);

  const record::Dictionary* dictionary_;
  LaunchPlaces* places_;
  std::deque<Device> devices_;  // stable addresses
  std::map<std::string, Device*> by_uuid_;
  std::map<Ordinal, Device*> by_ordinal_;
  std::vector<Device*> device_of_lane_;
};

// "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", as nvidia-smi prints it.
std::string UuidText(const uint8_t (&uuid)[16], bool mig);

}  // namespace slowtoken::analysis
