// The simulated devices: SIMGPU_DEVICES of them (default 1, 0 = none), all alike. Constant after first use.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "simgpu/core/tool_interface.h"

namespace simgpu {

constexpr int kMaxDevices = 16;
constexpr int kMultiprocessors = 132;
constexpr uint64_t kDefaultMemoryBytes = 80ull << 30;

int DeviceCount();
// False if there is no such device.
bool DescribeDevice(int ordinal, SimgpuDeviceInfo* info);
// Value of a CUdevice_attribute; attributes we do not model are 0.
int DeviceAttribute(int ordinal, int attribute);

}  // namespace simgpu
