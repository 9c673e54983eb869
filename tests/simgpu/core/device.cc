#include "simgpu/core/device.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "simgpu/core/memory.h"

namespace simgpu {

int DeviceCount() {
  static const int count = [] {
    const char* text = std::getenv("SIMGPU_DEVICES");
    return text != nullptr ? std::clamp(std::atoi(text), 0, kMaxDevices) : 1;
  }();
  return count;
}

bool DescribeDevice(int ordinal, SimgpuDeviceInfo* info) {
  if (ordinal < 0 || ordinal >= DeviceCount()) return false;
  const uint32_t size = sizeof(*info);
  std::memset(info, 0, size);
  info->struct_size = size;
  info->ordinal = static_cast<uint32_t>(ordinal);
  std::snprintf(info->name, sizeof(info->name), "Simulated GPU (sm_90)");
  std::memcpy(info->uuid, "simgpu-device-00", 16);
  info->uuid[14] = static_cast<uint8_t>('0' + ordinal / 10);
  info->uuid[15] = static_cast<uint8_t>('0' + ordinal % 10);
  info->compute_major = 9;
  info->global_memory_bytes = DeviceMemoryBytes();
  info->memory_bandwidth_kb_per_s = 3'352'000'000;
  info->constant_memory_bytes = 65536;
  info->l2_bytes = 50u << 20;
  info->multiprocessors = kMultiprocessors;
  info->warp_size = 32;
  info->max_threads_per_block = 1024;
  info->max_threads_per_multiprocessor = 2048;
  info->max_blocks_per_multiprocessor = 32;
  info->max_shared_per_block = 49152;
  info->max_shared_per_multiprocessor = 233472;
  info->max_registers_per_block = 65536;
  info->max_registers_per_multiprocessor = 65536;
  info->core_clock_khz = 1'980'000;
  info->memory_clock_khz = 2'619'000;
  info->memory_bus_bits = 5120;
  info->copy_engines = 2;
  info->pci_bus = static_cast<uint32_t>(1 + ordinal);
  return true;
}

int DeviceAttribute(int ordinal, int attribute) {
  using Row = std::pair<int, int>;
  static constexpr auto kRows = std::to_array<Row>({
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233472},
      {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
      {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536},
      {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
      {CU_DEVICE_ATTRIBUTE_MAX_PITCH, 2147483647},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
      {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1'980'000},
      {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 2'619'000},
      {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 5120},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 50 << 20},
      {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 512},
      {CU_DEVICE_ATTRIBUTE_GPU_OVERLAP, 1},
      {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 2},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, kMultiprocessors},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
      {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
      {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
      {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
      {CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1},
      {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1},
      {CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 1},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
      {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED, 1},
      {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1},
      {CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 1},
      {CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1},
      {CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 1},
  });
  if (attribute == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID) return 1 + ordinal;
  for (const auto& [key, value] : kRows) {
    if (key == attribute) return value;
  }
  return 0;
}

}  // namespace simgpu
