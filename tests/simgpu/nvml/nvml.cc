// The stand-in for libnvidia-ml.so.1: the functions slowtoken asks for, on the simulated devices. It knows nothing of
// what they compute: clocks and power are constant but for what SIMGPU_NVML says. See README.md.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <string>
#include <utility>
#include <vector>

namespace {

enum { kSuccess = 0, kInvalidArgument = 2, kNotFound = 6 };
constexpr unsigned kMaxSmClock = 1980, kMaxMemoryClock = 2619, kPowerLimit = 700'000;
constexpr unsigned long long kGpuIdle = 1, kSwPowerCap = 4;
constexpr const char* kUuid = "GPU-73696d67-7075-2d64-6576-6963652d";  // "simgpu-device-"; two digits follow

double Now() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

struct Throttle {
  unsigned mhz = 0;
  double from = 0, to = 0;  // seconds after nvmlInit_v2
};

// SIMGPU_NVML, read at nvmlInit_v2.
struct Plan {
  std::vector<std::pair<std::string, int>> errors;  // function, code
  std::vector<std::pair<std::string, int>> slow;    // function, milliseconds
  std::vector<Throttle> throttles;
  double start = 0;

  void Entry(const std::string& entry) {
    char function[64] = {};
    int number = 0;
    Throttle throttle;
    double seconds = 0;
    if (sscanf(entry.c_str(), "error=%63[^:]:%d", function, &number) == 2) {
      errors.emplace_back(function, number);
    } else if (sscanf(entry.c_str(), "slow=%63[^:]:%d", function, &number) == 2) {
      slow.emplace_back(function, number);
    } else if (sscanf(entry.c_str(), "throttle=%u@%lf+%lf", &throttle.mhz, &throttle.from, &seconds) == 3) {
      throttle.to = throttle.from + seconds;
      throttles.push_back(throttle);
    } else if (!entry.empty()) {
      fprintf(stderr, "simgpu: SIMGPU_NVML has an entry that is not known: %s\n", entry.c_str());
    }
  }

  void Read() {
    start = Now();
    const char* text = getenv("SIMGPU_NVML");
    std::string entry;
    for (; text != nullptr && *text != 0; ++text) {
      if (*text != ';' && *text != '|') {
        entry += *text;
        continue;
      }
      Entry(entry);
      entry.clear();
    }
    Entry(entry);
  }

  const Throttle* Throttled() const {
    const double at = Now() - start;
    for (const Throttle& throttle : throttles) {
      if (at >= throttle.from && at < throttle.to) return &throttle;
    }
    return nullptr;
  }
};

Plan& ThePlan() {
  static Plan plan;
  return plan;
}

// Every function begins here: waits as long as the plan says, and gives the error it should answer.
int Begin(const char* function) {
  for (const auto& [name, milliseconds] : ThePlan().slow) {
    const timespec wait{milliseconds / 1000, milliseconds % 1000 * 1'000'000L};
    if (name == function) nanosleep(&wait, nullptr);
  }
  for (const auto& [name, code] : ThePlan().errors) {
    if (name == function) return code;
  }
  return kSuccess;
}

}  // namespace

#define SIMGPU_BEGIN(name) \
  if (const int planned = Begin(#name); planned != kSuccess) return planned

#define SIMGPU_EXPORT extern "C" __attribute__((visibility("default"))) int

SIMGPU_EXPORT nvmlInit_v2() {
  ThePlan().Read();
  SIMGPU_BEGIN(nvmlInit_v2);
  return kSuccess;
}

SIMGPU_EXPORT nvmlSystemGetDriverVersion(char* version, unsigned size) {
  SIMGPU_BEGIN(nvmlSystemGetDriverVersion);
  snprintf(version, size, "simulated");
  return kSuccess;
}

SIMGPU_EXPORT nvmlSystemGetCudaDriverVersion_v2(int* version) {
  SIMGPU_BEGIN(nvmlSystemGetCudaDriverVersion_v2);
  *version = 13000;
  return kSuccess;
}

SIMGPU_EXPORT nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  SIMGPU_BEGIN(nvmlDeviceGetHandleByUUID);
  if (strncmp(uuid, kUuid, strlen(kUuid)) != 0) return kNotFound;
  *device = reinterpret_cast<void*>(strtoul(uuid + strlen(kUuid), nullptr, 16));
  return kSuccess;
}

SIMGPU_EXPORT nvmlDeviceGetClockInfo(void*, int type, unsigned* mhz) {
  SIMGPU_BEGIN(nvmlDeviceGetClockInfo);
  const Throttle* throttle = ThePlan().Throttled();
  if (type != 1 && type != 2) return kInvalidArgument;
  *mhz = type == 2 ? kMaxMemoryClock : throttle != nullptr ? throttle->mhz : kMaxSmClock;
  return kSuccess;
}

SIMGPU_EXPORT nvmlDeviceGetMaxClockInfo(void*, int type, unsigned* mhz) {
  SIMGPU_BEGIN(nvmlDeviceGetMaxClockInfo);
  if (type != 1 && type != 2) return kInvalidArgument;
  *mhz = type == 2 ? kMaxMemoryClock : kMaxSmClock;
  return kSuccess;
}

SIMGPU_EXPORT nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  SIMGPU_BEGIN(nvmlDeviceGetPowerUsage);
  *milliwatts = ThePlan().Throttled() != nullptr ? kPowerLimit : kPowerLimit * 3 / 5;
  return kSuccess;
}

SIMGPU_EXPORT nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) {
  SIMGPU_BEGIN(nvmlDeviceGetEnforcedPowerLimit);
  *milliwatts = kPowerLimit;
  return kSuccess;
}

SIMGPU_EXPORT nvmlDeviceGetTemperature(void*, int, unsigned* celsius) {
  SIMGPU_BEGIN(nvmlDeviceGetTemperature);
  *celsius = 55;
  return kSuccess;
}

SIMGPU_EXPORT nvmlDeviceGetCurrentClocksEventReasons(void*, unsigned long long* reasons) {
  SIMGPU_BEGIN(nvmlDeviceGetCurrentClocksEventReasons);
  *reasons = ThePlan().Throttled() != nullptr ? kSwPowerCap : kGpuIdle;
  return kSuccess;
}

SIMGPU_EXPORT nvmlDeviceGetUtilizationRates(void*, unsigned* gpu_and_memory) {
  SIMGPU_BEGIN(nvmlDeviceGetUtilizationRates);
  gpu_and_memory[0] = 60;
  gpu_and_memory[1] = 30;
  return kSuccess;
}

SIMGPU_EXPORT nvmlDeviceGetMemoryInfo(void*, unsigned long long* total_free_used) {
  SIMGPU_BEGIN(nvmlDeviceGetMemoryInfo);
  total_free_used[0] = 80ull << 30;
  total_free_used[1] = 60ull << 30;
  total_free_used[2] = 20ull << 30;
  return kSuccess;
}

SIMGPU_EXPORT nvmlDeviceGetMigMode(void*, unsigned* current, unsigned* pending) {
  SIMGPU_BEGIN(nvmlDeviceGetMigMode);
  *current = *pending = 0;
  return kSuccess;
}
