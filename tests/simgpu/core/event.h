// Events. Recycling of handles is left to the allocator; a destroyed event loses its magic.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "simgpu/core/work.h"

namespace simgpu {

struct Capture;
struct Context;
struct GraphNode;

struct Event {
  static constexpr uint32_t kMagic = 0x45564e54;

  uint32_t magic = kMagic;
  uint32_t id = 0;
  unsigned flags = 0;
  Context* context = nullptr;
  std::mutex mutex;
  std::shared_ptr<EventPoint> point;  // of the last record; null: never recorded
  uint64_t serial = 0;                // counts records of all events; 0 = never recorded

  // Recorded inside a capture (graph lock).
  std::shared_ptr<Capture> capture;
  std::vector<GraphNode*> capture_nodes;

  std::shared_ptr<EventPoint> Point() {
    std::lock_guard lock(mutex);
    return point;
  }
};

Event* CreateEvent(Context* context, unsigned flags);
void DestroyEvent(Event* event);
Event* EventFrom(CUevent handle);  // nullptr if bad
// A new point, which the event refers to from now on.
std::shared_ptr<EventPoint> BeginRecord(Event* event);

}  // namespace simgpu
