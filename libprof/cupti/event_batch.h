// EventBatch: decoded events of one kind on their way to the visitor, many at a time. Worker only. What it holds when a
// buffer is through must be Delivered.
#pragma once

#include <array>
#include <span>

#include "record/visitor.h"

namespace slowtoken::cupti {

template <typename Event>
class EventBatch {
 public:
  EventBatch() = default;
  EventBatch(const EventBatch&) = delete;
  EventBatch& operator=(const EventBatch&) = delete;

  // Room for the next event; holds an old one: every member must be set.
  Event& Next(record::EventVisitor& out) {
    if (next_ == events_.data() + events_.size()) Deliver(out);
    return *next_++;
  }

  void Deliver(record::EventVisitor& out) {
    const std::span<const Event> events(events_.data(), next_);
    next_ = events_.data();
    if (!events.empty()) out.On(events);
  }

 private:
  std::array<Event, 64> events_;
  Event* next_ = events_.data();
};

}  // namespace slowtoken::cupti
