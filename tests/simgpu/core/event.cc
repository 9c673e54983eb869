#include "simgpu/core/event.h"

#include <atomic>

namespace simgpu {
namespace {

// Destroyed events are reused, not freed: a stale handle must be refused, not crash.
struct FreeEvents {
  std::mutex mutex;
  std::vector<Event*> events;
};

FreeEvents& Free() {
  static FreeEvents* events = new FreeEvents;
  return *events;
}

Event* Take() {
  std::lock_guard lock(Free().mutex);
  if (Free().events.empty()) return new Event;
  Event* event = Free().events.back();
  Free().events.pop_back();
  return event;
}

}  // namespace

Event* CreateEvent(Context* context, unsigned flags) {
  static std::atomic<uint32_t> next_id{1};
  Event* event = Take();
  event->magic = Event::kMagic;
  event->id = next_id.fetch_add(1);
  event->flags = flags;
  event->context = context;
  event->serial = 0;
  return event;
}

void DestroyEvent(Event* event) {
  event->magic = 0;
  event->point.reset();
  event->capture.reset();
  event->capture_nodes.clear();
  std::lock_guard lock(Free().mutex);
  Free().events.push_back(event);
}

Event* EventFrom(CUevent handle) {
  auto* event = reinterpret_cast<Event*>(handle);
  return event != nullptr && event->magic == Event::kMagic ? event : nullptr;
}

std::shared_ptr<EventPoint> BeginRecord(Event* event) {
  static std::atomic<uint64_t> next_serial{1};
  auto point = std::make_shared<EventPoint>();
  std::lock_guard lock(event->mutex);
  event->point = point;
  event->serial = next_serial.fetch_add(1);
  event->capture.reset();
  return point;
}

}  // namespace simgpu
