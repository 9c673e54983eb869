#include "viewer.h"

#include <algorithm>

namespace slowtoken::testing {
namespace {

using perfetto::TrackEvent;

class Reader {
 public:
  ShownTrace Read(const perfetto::Trace& trace) {
    out_.parsed = true;
    std::vector<const perfetto::TracePacket*> events;
    for (const perfetto::TracePacket& packet : trace.packet()) {
      Collect(packet);
      if (packet.has_track_event()) events.push_back(&packet);
    }
    std::stable_sort(events.begin(), events.end(), [](auto* a, auto* b) { return a->timestamp() < b->timestamp(); });
    for (const perfetto::TracePacket* packet : events) Show(*packet);
    return std::move(out_);
  }

 private:
  void Collect(const perfetto::TracePacket& packet) {
    for (const auto& name : packet.interned_data().event_names()) names_[name.iid()] = name.name();
    for (const auto& name : packet.interned_data().event_categories()) categories_[name.iid()] = name.name();
    for (const auto& name : packet.interned_data().debug_annotation_names()) arguments_[name.iid()] = name.name();
    if (packet.has_track_descriptor()) tracks_[packet.track_descriptor().uuid()] = packet.track_descriptor();
    if (packet.previous_packet_dropped()) ++out_.data_losses;
    if (packet.has_clock_snapshot()) {
      ++out_.clock_snapshots;
      out_.primary_clock = packet.clock_snapshot().primary_trace_clock();
    }
  }

  std::string Path(uint64_t uuid) {
    const auto track = tracks_.find(uuid);
    if (track == tracks_.end()) {
      ++out_.unknown_tracks;
      return "?";
    }
    const perfetto::TrackDescriptor& t = track->second;
    std::string name = t.name();
    if (t.has_process()) name = t.process().process_name() + " " + std::to_string(t.process().pid());
    if (t.has_thread()) name = t.thread().thread_name() + " " + std::to_string(t.thread().tid());
    return t.has_parent_uuid() ? Path(t.parent_uuid()) + " / " + name : name;
  }

  std::string Text(const std::map<uint64_t, std::string>& names, uint64_t number) {
    const auto name = names.find(number);
    if (name != names.end()) return name->second;
    ++out_.unknown_names;
    return "?";
  }

  ShownSlice SliceOf(const perfetto::TracePacket& packet) {
    const TrackEvent& event = packet.track_event();
    ShownSlice slice;
    slice.track = Path(event.track_uuid());
    slice.name = Text(names_, event.name_iid());
    for (const uint64_t category : event.category_iids()) slice.category += Text(categories_, category);
    slice.start = packet.timestamp();
    slice.flows.assign(event.flow_ids().begin(), event.flow_ids().end());
    for (const auto& argument : event.debug_annotations()) {
      slice.arguments[Text(arguments_, argument.name_iid())] =
          argument.has_string_value()   ? argument.string_value()
          : argument.has_int_value()    ? std::to_string(argument.int_value())
          : argument.has_double_value() ? std::to_string(argument.double_value())
                                        : std::to_string(argument.uint_value());
    }
    return slice;
  }

  void Show(const perfetto::TracePacket& packet) {
    const TrackEvent& event = packet.track_event();
    std::vector<size_t>& open = open_[event.track_uuid()];
    switch (event.type()) {
      case TrackEvent::TYPE_SLICE_BEGIN:
        out_.slices.push_back(SliceOf(packet));
        out_.slices.back().depth = open.size();
        open.push_back(out_.slices.size() - 1);
        break;
      case TrackEvent::TYPE_SLICE_END:
        if (open.empty()) {
          ++out_.ends_without_begin;
        } else {
          out_.slices[open.back()].end = packet.timestamp();
          open.pop_back();
        }
        break;
      case TrackEvent::TYPE_INSTANT:
        out_.instants.push_back(SliceOf(packet));
        break;
      case TrackEvent::TYPE_COUNTER:
        out_.counters.emplace_back(Path(event.track_uuid()), event.counter_value());
        break;
      case TrackEvent::TYPE_UNSPECIFIED:
        break;
    }
  }

  ShownTrace out_;
  std::map<uint64_t, std::string> names_, categories_, arguments_;
  std::map<uint64_t, perfetto::TrackDescriptor> tracks_;
  std::map<uint64_t, std::vector<size_t>> open_;
};

}  // namespace

ShownTrace Show(const std::string& bytes) {
  perfetto::Trace trace;
  if (!trace.ParseFromString(bytes)) return {};
  return Reader().Read(trace);
}

}  // namespace slowtoken::testing
