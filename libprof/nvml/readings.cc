#include "nvml/readings.h"

namespace slowtoken::nvml {
namespace {

using record::DeviceSample;

// Calls `function` if there is one; on success the value is taken and `bit` set.
template <typename Function, typename Take, typename... Arguments>
int Ask(DeviceSample& sample, uint32_t bit, Function function, Take take, Arguments... arguments) {
  if (function == nullptr) return kFunctionNotFound;
  const int result = function(arguments...);
  if (result != kSuccess) return result;
  take();
  sample.present |= bit;
  return result;
}

int SmClock(const ApiTable& api, const Handles& device, DeviceSample& sample) {
  unsigned mhz = 0;
  return Ask(
      sample, record::kSampleSmClock, api.clock, [&] { sample.sm_clock_mhz = mhz; }, device.gpu, kSmClock, &mhz);
}

int MemoryClock(const ApiTable& api, const Handles& device, DeviceSample& sample) {
  unsigned mhz = 0;
  return Ask(
      sample, record::kSampleMemoryClock, api.clock, [&] { sample.memory_clock_mhz = mhz; }, device.gpu, kMemoryClock,
      &mhz);
}

int Power(const ApiTable& api, const Handles& device, DeviceSample& sample) {
  unsigned milliwatts = 0;
  return Ask(
      sample, record::kSamplePower, api.power, [&] { sample.power_mw = milliwatts; }, device.gpu, &milliwatts);
}

int Temperature(const ApiTable& api, const Handles& device, DeviceSample& sample) {
  unsigned celsius = 0;
  return Ask(
      sample, record::kSampleTemperature, api.temperature, [&] { sample.temperature_c = celsius; }, device.gpu,
      kGpuTemperature, &celsius);
}

// Drivers from 535 on have the first name, older ones the second; the bits are the same.
int ThrottleReasons(const ApiTable& api, const Handles& device, DeviceSample& sample) {
  unsigned long long reasons = 0;
  return Ask(
      sample, record::kSampleThrottle, api.event_reasons != nullptr ? api.event_reasons : api.throttle_reasons,
      [&] { sample.throttle_reasons = reasons; }, device.gpu, &reasons);
}

int UtilizationRates(const ApiTable& api, const Handles& device, DeviceSample& sample) {
  Utilization rates;
  return Ask(
      sample, record::kSampleGpuUtilization | record::kSampleMemoryUtilization, api.utilization,
      [&] {
        sample.gpu_utilization = rates.gpu;
        sample.memory_utilization = rates.memory;
      },
      device.gpu, &rates);
}

// Bug log row 68: refused on a MIG slice without permission; zero would be a lie.
int MemoryUsed(const ApiTable& api, const Handles& device, DeviceSample& sample) {
  Memory memory;
  return Ask(
      sample, record::kSampleMemoryUsed, api.memory, [&] { sample.memory_used = memory.used; }, device.own, &memory);
}

}  // namespace

const std::array<Reading, kReadingCount> kReadings = {{{"sm_clock", &SmClock},
                                                       {"memory_clock", &MemoryClock},
                                                       {"power", &Power},
                                                       {"temperature", &Temperature},
                                                       {"throttle_reasons", &ThrottleReasons},
                                                       {"utilization", &UtilizationRates},
                                                       {"memory_used", &MemoryUsed}}};

}  // namespace slowtoken::nvml
