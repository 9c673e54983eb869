// Under which conditions was recorded: what does not change (driver, versions, host), and the state of the devices once
// a second. Plain data.
#pragma once

#include "record/ids.h"

namespace slowtoken::record {

// One fact about the process's surroundings. Told when found out; the trace repeats all of them at each chunk's head.
struct Condition {
  StringId name = 0;   // "driver.version", "host.cpu", …: docs/METRICS.md has the list
  StringId value = 0;  // text; a pseudonym where the fact would identify somebody
  ProcessIndex process = 0;
};

// Names of facts that one part writes and another reads.
inline constexpr const char* kModeFact = "slowtoken.mode";
inline constexpr const char* kMemoryFact = "slowtoken.memory_bytes";
inline constexpr const char* kSloTtftFact = "slowtoken.slo_ttft_ns";  // not there: none was asked for
inline constexpr const char* kSloItlFact = "slowtoken.slo_itl_ns";
inline constexpr const char* kImportedFrom = "source.format";
inline constexpr const char* kImportMissing = "import.missing";  // words of coverage.missing
inline constexpr const char* kImportNote = "import.note.";       // and a number

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
  uint64_t throttle_reasons = 0;  // nvmlClocksEventReasons bits; those that slow a GPU down: kThrottleReasons
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

// nvmlClocksEventReasons (NVML API reference) that slow a GPU down. Not those of an idle GPU (1), of application clocks
// that somebody set (2) or of a display (0x100).
struct ThrottleReason {
  uint64_t bit;
  const char* name;
};
inline constexpr ThrottleReason kThrottleReasons[] = {{0x4, "power_cap"},         {0x8, "hardware"},
                                                      {0x10, "sync_boost"},       {0x20, "thermal"},
                                                      {0x40, "hardware_thermal"}, {0x80, "power_brake"}};
inline constexpr uint64_t kSlowingReasons = 0x4 | 0x8 | 0x10 | 0x20 | 0x40 | 0x80;

}  // namespace slowtoken::record
