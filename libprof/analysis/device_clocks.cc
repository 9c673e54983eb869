#include "analysis/device_clocks.h"

#include <algorithm>

#include "analysis/devices.h"

namespace slowtoken::analysis {
namespace {

// A sample stands for the time until the next, but not longer.
constexpr record::TimeNs kLongest = 2'000'000'000;

}  // namespace

void Spread::Add(uint64_t value) {
  least = count == 0 ? value : std::min(least, value);
  greatest = std::max(greatest, value);
  sum += value;
  ++count;
}

void DeviceClocks::Add(const record::DeviceInfo& info) {
  uuids_[{info.process, info.ordinal}] = UuidText(info.uuid, info.is_mig);
}

void DeviceClocks::Add(const record::DeviceSample& sample) {
  Sampled& sampled = sampled_[{sample.process, sample.device}];
  ClockSummary& summary = sampled.summary;
  ++summary.samples;
  const auto add = [&](uint32_t bit, Spread& spread, uint64_t value) {
    if ((sample.present & bit) != 0) spread.Add(value);
  };
  add(record::kSampleSmClock, summary.sm_clock_mhz, sample.sm_clock_mhz);
  add(record::kSampleMemoryClock, summary.memory_clock_mhz, sample.memory_clock_mhz);
  add(record::kSamplePower, summary.power_mw, sample.power_mw);
  add(record::kSampleTemperature, summary.temperature_c, sample.temperature_c);
  add(record::kSampleGpuUtilization, summary.gpu_utilization, sample.gpu_utilization);
  add(record::kSampleMemoryUsed, summary.memory_used, sample.memory_used);
  if (sampled.last_known && sample.time > sampled.last) {
    const uint64_t held = std::min(sample.time - sampled.last, kLongest);
    summary.throttle_known_ns += held;
    bool slowed = false;
    for (const record::ThrottleReason& reason : record::kThrottleReasons) {
      if ((sampled.last_reasons & reason.bit) == 0) continue;
      summary.throttled_ns[reason.name] += held;
      slowed = true;
    }
    if (slowed) summary.slowed_ns += held;
  }
  sampled.last = sample.time;
  sampled.last_known = (sample.present & record::kSampleThrottle) != 0;
  sampled.last_reasons = sample.throttle_reasons;
}

std::optional<ClockSummary> DeviceClocks::Of(const std::string& uuid) const {
  std::optional<ClockSummary> best;
  for (const auto& [ordinal, sampled] : sampled_) {
    const auto found = uuids_.find(ordinal);
    if (found == uuids_.end() || found->second != uuid) continue;
    if (!best || sampled.summary.samples > best->samples) best = sampled.summary;
  }
  return best;
}

}  // namespace slowtoken::analysis
