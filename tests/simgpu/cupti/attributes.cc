#include "simgpu/cupti/attributes.h"

#include <cstring>

#include "simgpu/cupti/faults.h"

namespace simgpu::cupti {
namespace {

struct Definition {
  size_t size;
  uint64_t initial;
  bool supported;
};

// By attribute number; sizes and defaults as the header states them. The semaphore pool's attributes went with
// CUDA 12.3.
constexpr Definition kDefinitions[] = {
    {sizeof(size_t), 3200000, true},   // DEVICE_BUFFER_SIZE
    {sizeof(size_t), 8388608, true},   // DEVICE_BUFFER_SIZE_CDP
    {sizeof(size_t), 250, true},       // DEVICE_BUFFER_POOL_LIMIT
    {sizeof(size_t), 25000, false},    // PROFILING_SEMAPHORE_POOL_SIZE
    {sizeof(size_t), 250, false},      // PROFILING_SEMAPHORE_POOL_LIMIT
    {sizeof(uint8_t), 0, true},        // ZEROED_OUT_ACTIVITY_BUFFER
    {sizeof(size_t), 3, true},         // DEVICE_BUFFER_PRE_ALLOCATE_VALUE
    {sizeof(size_t), 3, false},        // PROFILING_SEMAPHORE_PRE_ALLOCATE_VALUE
    {sizeof(uint8_t), 0, true},        // MEM_ALLOCATION_TYPE_HOST_PINNED
    {sizeof(uint8_t), 1, true},        // PER_THREAD_ACTIVITY_BUFFER
    {sizeof(size_t), 16777216, true},  // DEVICE_BUFFER_SIZE_DEVICE_GRAPHS
};

}  // namespace

AttributeTable::AttributeTable() {
  static_assert(std::size(kDefinitions) == kCount);
  for (size_t i = 0; i < kCount; ++i) values_[i].store(kDefinitions[i].initial);
}

CUptiResult AttributeTable::Get(CUpti_ActivityAttribute attribute, size_t* size, void* value) const {
  if (size == nullptr || value == nullptr || static_cast<size_t>(attribute) >= kCount)
    return CUPTI_ERROR_INVALID_PARAMETER;
  const Definition& definition = kDefinitions[attribute];
  if (!definition.supported) return CUPTI_ERROR_NOT_SUPPORTED;
  if (*size < definition.size) return CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
  const uint64_t word = Value(attribute);
  std::memcpy(value, &word, definition.size);  // little endian
  *size = definition.size;
  return CUPTI_SUCCESS;
}

CUptiResult AttributeTable::Set(CUpti_ActivityAttribute attribute, const size_t* size, const void* value) {
  if (size == nullptr || value == nullptr || static_cast<size_t>(attribute) >= kCount)
    return CUPTI_ERROR_INVALID_PARAMETER;
  const Definition& definition = kDefinitions[attribute];
  if (!definition.supported) return CUPTI_ERROR_NOT_SUPPORTED;
  if (*size < definition.size) return CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
  uint64_t word = 0;
  std::memcpy(&word, value, definition.size);
  values_[attribute].store(word);
  return CUPTI_SUCCESS;
}

AttributeTable& Attributes() {
  static auto* table = new AttributeTable;
  return *table;
}

Switches& TheSwitches() {
  static auto* switches = new Switches;
  return *switches;
}

uint32_t ReportedVersion() {
  const int64_t version = Faults().version;
  return version >= 0 ? static_cast<uint32_t>(version) : CUPTI_API_VERSION;
}

}  // namespace simgpu::cupti
