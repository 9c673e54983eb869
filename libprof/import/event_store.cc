#include "import/event_store.h"

#include <algorithm>
#include <tuple>

namespace slowtoken::importing {
namespace {

using record::TimeNs;

// As often as a recorder writes a chunk, and not so many events that a reader's tables fill between two of them.
constexpr TimeNs kAdvanceNs = 1'000'000'000;
constexpr size_t kAdvanceEvents = 20'000;

// As analysis/interval.h: an end beyond is none.
constexpr TimeNs kLastTime = TimeNs{1} << 62;

}  // namespace

void EventStore::Add(const record::NvtxRange& event) {
  ranges_.push_back({event, fields_.size()});
  ranges_.back().range.fields = {};
  ranges_.back().field_count = event.fields.size();
  fields_.insert(fields_.end(), event.fields.begin(), event.fields.end());
}

template <typename Store, typename Visit>
void EventStore::ForEachTimes(Store& store, Visit visit) {
  const auto each = [&](auto& list, Kind kind) {
    uint32_t index = 0;
    for (auto& event : list) visit(event.start, event.end, kind, index++);
  };
  each(store.kernels_, Kind::kKernel);
  each(store.copies_, Kind::kCopy);
  each(store.sets_, Kind::kSet);
  each(store.calls_, Kind::kCall);
  each(store.syncs_, Kind::kSync);
  each(store.overheads_, Kind::kOverhead);
  each(store.annotations_, Kind::kAnnotation);
  uint32_t index = 0;
  for (auto& [range, first, count] : store.ranges_) visit(range.start, range.end, Kind::kRange, index++);
}

void EventStore::Shift(int64_t by) {
  ForEachTimes(*this, [by](TimeNs& start, TimeNs& end, Kind, uint32_t) {
    if (start != 0) start += static_cast<TimeNs>(by);
    if (end != 0) end += static_cast<TimeNs>(by);
  });
}

EventStore::Extent EventStore::extent() const {
  Extent extent;
  const auto cover = [&](TimeNs time) {
    if (time == 0) return;
    extent.first = std::min(extent.first, static_cast<int64_t>(time));
    extent.last = std::max(extent.last, static_cast<int64_t>(time));
  };
  ForEachTimes(*this, [&](const TimeNs& start, const TimeNs& end, Kind, uint32_t) {
    cover(start);
    if (end > start) cover(end);
  });
  return extent;
}

std::vector<EventStore::Place> EventStore::InOrder() const {
  std::vector<Place> places;
  places.reserve(kernels_.size() + copies_.size() + sets_.size() + calls_.size() + syncs_.size() + overheads_.size() +
                 ranges_.size() + 2 * annotations_.size());
  ForEachTimes(*this, [&](const TimeNs& start, const TimeNs& end, Kind kind, uint32_t index) {
    if (kind == Kind::kAnnotation) places.push_back({start, index, Kind::kAnnotationStart});
    places.push_back({end > start && end < kLastTime ? end : start, index, kind});
  });
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::tie(a.time, a.kind, a.index) < std::tie(b.time, b.kind, b.index);
  });
  return places;
}

void EventStore::Tell(const Place& place, record::EventVisitor& out) const {
  switch (place.kind) {
    case Kind::kKernel:
      return out.On(kernels_[place.index]);
    case Kind::kCopy:
      return out.On(copies_[place.index]);
    case Kind::kSet:
      return out.On(sets_[place.index]);
    case Kind::kCall:
      return out.On(calls_[place.index]);
    case Kind::kSync:
      return out.On(syncs_[place.index]);
    case Kind::kOverhead:
      return out.On(overheads_[place.index]);
    case Kind::kAnnotation:
      return out.On(annotations_[place.index]);
    case Kind::kAnnotationStart: {
      record::Annotation begun = annotations_[place.index];
      begun.end = 0;
      return out.On(begun);
    }
    case Kind::kRange: {
      record::NvtxRange range = ranges_[place.index].range;
      range.fields = std::span(fields_).subspan(ranges_[place.index].first_field, ranges_[place.index].field_count);
      return out.On(range);
    }
  }
}

void EventStore::Tell(TimeNs end, record::EventVisitor& out) const {
  size_t since = 0;  // events since the last Advance
  TimeNs first = 0, last = 0;
  for (const Place& place : InOrder()) {
    const bool due = since != 0 && (place.time - first >= kAdvanceNs || since >= kAdvanceEvents);
    if (due && place.time > last) {  // all that ended up to `last` has been told
      out.On(record::Advance{last, last, 0});
      since = 0;
    }
    if (since++ == 0) first = place.time;
    Tell(place, out);
    last = place.time;
  }
  out.On(record::Advance{std::max(last, end), std::max(last, end), 0});
}

}  // namespace slowtoken::importing
