// The readings of a device that make up a record::DeviceSample, one function each. Worker thread. What each costs is up
// to the driver: some take tens of milliseconds on some machines, so the caller measures (reading_pace.h).
#pragma once

#include <array>
#include <cstddef>

#include "nvml/api_table.h"
#include "record/conditions.h"

namespace slowtoken::nvml {

// A device of the process. Of a MIG instance only its memory is its own; the rest is the whole GPU's.
struct Handles {
  Device own = nullptr;
  Device gpu = nullptr;
};

struct Reading {
  const char* name;
  // Puts its value into `sample` and its bit into `present`. An nvmlReturn_t.
  int (*read)(const ApiTable& api, const Handles& device, record::DeviceSample& sample);
};

inline constexpr size_t kReadingCount = 7;
extern const std::array<Reading, kReadingCount> kReadings;

}  // namespace slowtoken::nvml
