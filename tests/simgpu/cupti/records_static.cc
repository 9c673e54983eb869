// Records of devices, contexts and streams: one each, at creation.
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "simgpu/cupti/records.h"

namespace simgpu::cupti {
namespace {

// Device names must outlive the record.
const char* KeepName(const char* name) {
  static auto* mutex = new std::mutex;
  static auto* names = new std::map<std::string, std::string>;
  const std::lock_guard lock(*mutex);
  return names->emplace(name, name).first->second.c_str();
}

constexpr uint16_t kNullStreamId = 7;  // as public logs show it

}  // namespace

CUpti_ActivityDevice5 MakeDevice(const SimgpuDeviceInfo& info) {
  CUpti_ActivityDevice5 record{};
  record.kind = CUPTI_ACTIVITY_KIND_DEVICE;
  record.flags = CUPTI_ACTIVITY_FLAG_DEVICE_CONCURRENT_KERNELS;
  record.globalMemoryBandwidth = info.memory_bandwidth_kb_per_s;
  record.globalMemorySize = info.global_memory_bytes;
  record.constantMemorySize = static_cast<uint32_t>(info.constant_memory_bytes);
  record.l2CacheSize = info.l2_bytes;
  record.numThreadsPerWarp = info.warp_size;
  record.coreClockRate = info.core_clock_khz;
  record.numMemcpyEngines = info.copy_engines;
  record.numMultiprocessors = info.multiprocessors;
  record.maxIPC = 4;
  record.maxWarpsPerMultiprocessor = info.warp_size != 0 ? info.max_threads_per_multiprocessor / info.warp_size : 0;
  record.maxBlocksPerMultiprocessor = info.max_blocks_per_multiprocessor;
  record.maxSharedMemoryPerMultiprocessor = info.max_shared_per_multiprocessor;
  record.maxRegistersPerMultiprocessor = info.max_registers_per_multiprocessor;
  record.maxRegistersPerBlock = info.max_registers_per_block;
  record.maxSharedMemoryPerBlock = info.max_shared_per_block;
  record.maxThreadsPerBlock = info.max_threads_per_block;
  record.maxBlockDimX = 1024;
  record.maxBlockDimY = 1024;
  record.maxBlockDimZ = 64;
  record.maxGridDimX = 2147483647;
  record.maxGridDimY = 65535;
  record.maxGridDimZ = 65535;
  record.computeCapabilityMajor = static_cast<uint32_t>(info.compute_major);
  record.computeCapabilityMinor = static_cast<uint32_t>(info.compute_minor);
  record.id = info.ordinal;
  std::memcpy(&record.uuid, info.uuid, sizeof(record.uuid));
  record.name = KeepName(info.name);
  record.isCudaVisible = 1;
  return record;
}

CUpti_ActivityContext3 MakeContext(uint32_t context_id, uint32_t device_id) {
  CUpti_ActivityContext3 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
  record.contextId = context_id;
  record.deviceId = device_id;
  record.computeApiKind = CUPTI_ACTIVITY_COMPUTE_API_CUDA;
  record.nullStreamId = kNullStreamId;
  return record;
}

CUpti_ActivityStream MakeStream(uint32_t context_id, uint32_t stream_id, CUpti_ActivityStreamFlag flag,
                                uint32_t priority) {
  CUpti_ActivityStream record{};
  record.kind = CUPTI_ACTIVITY_KIND_STREAM;
  record.contextId = context_id;
  record.streamId = stream_id;
  record.flag = flag;
  record.priority = priority;
  return record;
}

}  // namespace simgpu::cupti
