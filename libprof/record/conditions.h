// Under which conditions was recorded: what does not change (driver, versions, host), and the state of the devices once
// a second. Plain data.
#pragma once

#include "record/ids.h"

namespace slowtoken::record {

// One fact about the process's surroundings. Told when found out; the trace repeats all of them at each chunk's head.
struct Condition {
  StringId name = 0;   // "driver.version", "host.cpu", …: docs/TRACE_FORMAT.md has the list
  StringId value = 0;  // text; a pseudonym where the fact would identify somebody
  ProcessIndex process = 0;
};

// One reading of a device through NVML. What NVML does not tell is absent: its bit in `present` is 0.
enum DeviceSampleField : uint32_t {
  kSampleSmClock = 1,
  kSampleMemoryClock = 2,
  kSamplePower = 4,
  kSampleTemperature = 8,
  kSampleThrottle = 16,
  kSampleGpuUtilization = 32,
  kSampleMemoryUtilization = 64,
  kSampleMemoryUsed = 128,
};
struct DeviceSample {
  TimeNs time = 0;
  uint64_t throttle_reasons = 0;  // nvmlClocksEventReasons bits
  uint64_t memory_used = 0;       // bytes
  uint32_t device = 0;            // DeviceInfo::ordinal
  uint32_t present = 0;
  uint32_t sm_clock_mhz = 0;
  uint32_t memory_clock_mhz = 0;
  uint32_t power_mw = 0;
  uint32_t temperature_c = 0;
  uint32_t gpu_utilization = 0;     // percent
  uint32_t memory_utilization = 0;  // percent
  ProcessIndex process = 0;
};

}  // namespace slowtoken::record
