// The activity API's attributes (cupti_activity.h:6994-7240), thread-id type and other process-wide switches a client
// sets. Any thread.
#pragma once

#include <cupti.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace simgpu::cupti {

class AttributeTable {
 public:
  AttributeTable();

  CUptiResult Get(CUpti_ActivityAttribute attribute, size_t* size, void* value) const;
  CUptiResult Set(CUpti_ActivityAttribute attribute, const size_t* size, const void* value);

  bool per_thread_buffers() const { return Value(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER) != 0; }
  // True when CUPTI clears each buffer itself (cupti_activity.h:7124-7143).
  bool zero_buffers() const { return Value(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER) == 0; }

 private:
  static constexpr size_t kCount = CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE_DEVICE_GRAPHS + 1;
  uint64_t Value(CUpti_ActivityAttribute attribute) const { return values_[attribute].load(std::memory_order_relaxed); }

  std::array<std::atomic<uint64_t>, kCount> values_;
};

AttributeTable& Attributes();

// Switches with a setter function of their own.
struct Switches {
  std::atomic<bool> latency_timestamps{false};
  std::atomic<bool> launch_attributes{false};
  std::atomic<bool> all_sync_records{true};
  std::atomic<bool> event_device_timestamps{false};
  std::atomic<bool> device_graph{false};
  std::atomic<CUpti_ActivityThreadIdType> thread_id_type{CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT};
};

Switches& TheSwitches();

// What cuptiGetVersion answers: the header's version or the plan's.
uint32_t ReportedVersion();

}  // namespace simgpu::cupti
