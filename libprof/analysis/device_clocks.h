// DeviceClocks: what the samples of a device say over a recording: clocks, power, heat, and for how long it was
// throttled. Of several processes that sampled the same device the one with the most samples counts. Single threaded,
// offline; a sample is one look-up.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "record/conditions.h"
#include "record/resources.h"

namespace slowtoken::analysis {

// Least, greatest and mean of what was present.
struct Spread {
  uint64_t count = 0;
  uint64_t least = 0;
  uint64_t greatest = 0;
  uint64_t sum = 0;

  void Add(uint64_t value);
  uint64_t Mean() const { return count == 0 ? 0 : sum / count; }
};

struct ClockSummary {
  uint64_t samples = 0;
  Spread sm_clock_mhz;
  Spread memory_clock_mhz;
  Spread power_mw;
  Spread temperature_c;
  Spread gpu_utilization;  // percent
  Spread memory_used;      // bytes
  uint64_t throttle_known_ns = 0;
  std::map<std::string, uint64_t> throttled_ns;  // by reason; reasons may overlap
  uint64_t slowed_ns = 0;                        // by any of them
};

class DeviceClocks {
 public:
  void Add(const record::DeviceInfo& info);
  void Add(const record::DeviceSample& sample);

  // nullopt: nobody sampled the device.
  std::optional<ClockSummary> Of(const std::string& uuid) const;

 private:
  using Ordinal = std::pair<record::ProcessIndex, uint32_t>;
  struct Sampled {
    ClockSummary summary;
    record::TimeNs last = 0;    // of the last sample
    uint64_t last_reasons = 0;  // hold until the next one
    bool last_known = false;
  };

  std::map<Ordinal, std::string> uuids_;
  std::map<Ordinal, Sampled> sampled_;
};

}  // namespace slowtoken::analysis
