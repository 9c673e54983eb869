// Devices and their attributes.
#include "simgpu/core/device.h"

#include <cstdio>
#include <cstring>

#include "simgpu/core/pool.h"
#include "simgpu/driver/driver_scope.h"

namespace simgpu {
namespace {

bool Exists(CUdevice device) { return device >= 0 && device < DeviceCount(); }

}  // namespace

SIMGPU_DRIVER(cuDeviceGet)(CUdevice* device, int ordinal) {
  if (!Exists(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuDeviceGetCount)(int* count) {
  *count = DeviceCount();
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuDeviceGetName)(char* name, int length, CUdevice device) {
  SimgpuDeviceInfo info;
  if (!DescribeDevice(device, &info)) return CUDA_ERROR_INVALID_DEVICE;
  std::snprintf(name, static_cast<size_t>(length), "%s", info.name);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuDeviceGetUuid_v2)(CUuuid* uuid, CUdevice device) {
  SimgpuDeviceInfo info;
  if (!DescribeDevice(device, &info)) return CUDA_ERROR_INVALID_DEVICE;
  std::memcpy(uuid->bytes, info.uuid, sizeof(info.uuid));
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuDeviceTotalMem_v2)(size_t* bytes, CUdevice device) {
  SimgpuDeviceInfo info;
  if (!DescribeDevice(device, &info)) return CUDA_ERROR_INVALID_DEVICE;
  *bytes = info.global_memory_bytes;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuDeviceGetAttribute)(int* value, CUdevice_attribute attribute, CUdevice device) {
  if (!Exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  if (attribute <= 0 || attribute >= CU_DEVICE_ATTRIBUTE_MAX) return CUDA_ERROR_INVALID_VALUE;
  *value = DeviceAttribute(device, attribute);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuDeviceComputeCapability)(int* major, int* minor, CUdevice device) {
  if (!Exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  *major = 9;
  *minor = 0;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuDeviceGetPCIBusId)(char* text, int length, CUdevice device) {
  if (!Exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  std::snprintf(text, static_cast<size_t>(length), "0000:%02x:00.0", 1 + device);
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuDeviceGetByPCIBusId)(CUdevice* device, const char* text) {
  unsigned bus = 0;
  if (std::sscanf(text, "%*x:%x:", &bus) != 1 || !Exists(static_cast<int>(bus) - 1)) return CUDA_ERROR_INVALID_DEVICE;
  *device = static_cast<int>(bus) - 1;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuDeviceCanAccessPeer)(int* can, CUdevice device, CUdevice peer) {
  if (!Exists(device) || !Exists(peer)) return CUDA_ERROR_INVALID_DEVICE;
  *can = device != peer ? 1 : 0;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuDeviceGetP2PAttribute)(int* value, CUdevice_P2PAttribute, CUdevice device, CUdevice peer) {
  if (!Exists(device) || !Exists(peer) || device == peer) return CUDA_ERROR_INVALID_DEVICE;
  *value = 1;
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuDeviceGetDefaultMemPool)(CUmemoryPool* pool, CUdevice device) {
  if (!Exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  *pool = DefaultPool(device)->Handle();
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuDeviceGetMemPool)(CUmemoryPool* pool, CUdevice device) {
  if (!Exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  *pool = CurrentPool(device)->Handle();
  return CUDA_SUCCESS;
}

SIMGPU_DRIVER(cuDeviceSetMemPool)(CUdevice device, CUmemoryPool pool) {
  Pool* found = PoolFrom(pool);
  if (!Exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  SetCurrentPool(device, found);
  return CUDA_SUCCESS;
}

}  // namespace simgpu
