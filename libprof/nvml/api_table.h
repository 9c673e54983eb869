// ApiTable: the NVML functions we use, found at run time in libnvidia-ml.so.1, which comes with the driver. The toolkit
// may lack nvml.h, so what of it we need is stated here (NVML API reference; nvml.h of CUDA 12.4 and 13.0 agree). Every
// pointer may be null; callers check. Tests fill it with their own functions.
#pragma once

#include <cstdint>

namespace slowtoken::nvml {

using Device = struct DeviceHandle*;  // nvmlDevice_t

// nvmlReturn_t. Others are just failures.
enum Result : int {
  kSuccess = 0,
  kInvalidArgument = 2,
  kNotSupported = 3,
  kNoPermission = 4,
  kNotFound = 6,
  kFunctionNotFound = 13,
  kGpuIsLost = 15,
};

enum ClockType : int { kSmClock = 1, kMemoryClock = 2 };  // nvmlClockType_t
inline constexpr int kGpuTemperature = 0;                 // nvmlTemperatureSensors_t

struct Utilization {  // nvmlUtilization_t, percent
  unsigned gpu = 0;
  unsigned memory = 0;
};

struct Memory {  // nvmlMemory_t, bytes
  unsigned long long total = 0;
  unsigned long long free = 0;
  unsigned long long used = 0;
};

template <typename... Arguments>
using Call = int (*)(Arguments...);

// X(field, symbol, types of the arguments …)
#define SLOWTOKEN_NVML_FUNCTIONS(X)                                                             \
  X(init, "nvmlInit_v2")                                                                        \
  X(driver_version, "nvmlSystemGetDriverVersion", char*, unsigned)                              \
  X(cuda_version, "nvmlSystemGetCudaDriverVersion_v2", int*)                                    \
  X(device_by_uuid, "nvmlDeviceGetHandleByUUID", const char*, Device*)                          \
  X(parent_of_mig, "nvmlDeviceGetDeviceHandleFromMigDeviceHandle", Device, Device*)             \
  X(clock, "nvmlDeviceGetClockInfo", Device, int, unsigned*)                                    \
  X(max_clock, "nvmlDeviceGetMaxClockInfo", Device, int, unsigned*)                             \
  X(power, "nvmlDeviceGetPowerUsage", Device, unsigned*)                                        \
  X(power_limit, "nvmlDeviceGetEnforcedPowerLimit", Device, unsigned*)                          \
  X(temperature, "nvmlDeviceGetTemperature", Device, int, unsigned*)                            \
  X(event_reasons, "nvmlDeviceGetCurrentClocksEventReasons", Device, unsigned long long*)       \
  X(throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons", Device, unsigned long long*) \
  X(utilization, "nvmlDeviceGetUtilizationRates", Device, Utilization*)                         \
  X(memory, "nvmlDeviceGetMemoryInfo", Device, Memory*)                                         \
  X(mig_mode, "nvmlDeviceGetMigMode", Device, unsigned*, unsigned*)

struct ApiTable {
#define SLOWTOKEN_NVML_FIELD(field, symbol, ...) Call<__VA_ARGS__> field = nullptr;
  SLOWTOKEN_NVML_FUNCTIONS(SLOWTOKEN_NVML_FIELD)
#undef SLOWTOKEN_NVML_FIELD

  // Opens libnvidia-ml.so.1 and fills the table; functions it lacks stay null. False if it is not there. The library
  // is never closed.
  bool Load();
};

}  // namespace slowtoken::nvml
