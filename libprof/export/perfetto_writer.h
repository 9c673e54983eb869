// PerfettoWriter: packets of Perfetto's trace format on one stream: clocks, tracks, slices, instants, counters, with
// interned names. Everything is one packet sequence whose incremental state is cleared once, at the start; markers of
// lost data are a sequence of their own, so that they do not invalidate it. Timestamps are CLOCK_MONOTONIC.
// Single threaded. Memory: the interned names and tracks. About 200 ns a slice.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <perfetto_min.pb.h>

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "record/session_events.h"

namespace slowtoken::exporting {

using TrackId = uint64_t;

class PerfettoWriter {
 public:
  explicit PerfettoWriter(std::ostream& out) : out_(&out) {}

  // First of all. Without it, viewers could not place CLOCK_MONOTONIC.
  void Begin(const record::ClockSnapshot& clocks);
  void Clocks(const record::ClockSnapshot& clocks);

  // Numbers of names; each is written where it is first used. Texts are made safe.
  uint64_t EventName(std::string_view name) { return Intern(event_names_, name, Kind::kEvent); }
  uint64_t Category(std::string_view name) { return Intern(categories_, name, Kind::kCategory); }
  uint64_t ArgumentName(std::string_view name) { return Intern(argument_names_, name, Kind::kArgument); }

  // Declares a track; again with the same uuid: nothing happens.
  bool IsDeclared(TrackId track) const { return declared_.contains(track); }
  void Declare(const perfetto::TrackDescriptor& track);

  // `event`: a serialised TrackEvent without its type and track; both are added here.
  void Event(perfetto::TrackEvent::Type type, TrackId track, record::TimeNs time, std::string_view event);
  void Counter(TrackId track, record::TimeNs time, int64_t value);

  // Data was lost before `time`.
  void DataLoss(record::TimeNs time);

  uint64_t events() const { return events_; }
  bool ok() const { return !out_->fail(); }

 private:
  enum class Kind { kEvent, kCategory, kArgument };
  using Names = absl::flat_hash_map<std::string, uint64_t>;
  uint64_t Intern(Names& names, std::string_view name, Kind kind);
  void Write(const perfetto::TracePacket& packet);
  void WritePacket(std::string_view bytes);

  std::ostream* out_;
  Names event_names_, categories_, argument_names_;
  absl::flat_hash_set<TrackId> declared_;
  std::string buffer_;
  uint64_t events_ = 0;
};

// A track's uuid out of what identifies it: stable over runs, different for different kinds.
TrackId TrackUuid(std::string_view kind, uint64_t a, uint64_t b = 0, uint64_t c = 0);

}  // namespace slowtoken::exporting
