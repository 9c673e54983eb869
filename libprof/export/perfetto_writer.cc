#include "export/perfetto_writer.h"

#include <google/protobuf/io/coded_stream.h>

#include "analysis/text_safety.h"
#include "base/hash.h"

namespace slowtoken::exporting {
namespace {

using google::protobuf::io::CodedOutputStream;
using perfetto::TracePacket;

constexpr uint32_t kSequence = 1;
constexpr uint32_t kLossSequence = 2;
constexpr uint32_t kRealtime = 1, kMonotonic = 3, kBoottime = 6;  // BuiltinClock

void AppendVarint(std::string& out, uint64_t value) {
  uint8_t bytes[10];
  const uint8_t* end = CodedOutputStream::WriteVarint64ToArray(value, bytes);
  out.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(end - bytes));
}

// A field number and wire type (0 varint, 2 length-delimited).
constexpr uint64_t Key(uint32_t field, uint32_t wire) { return field << 3 | wire; }

void FillClocks(const record::ClockSnapshot& clocks, perfetto::ClockSnapshot& out) {
  const auto add = [&](uint32_t id, uint64_t time) {
    if (time == 0) return;
    perfetto::ClockSnapshot::Clock& clock = *out.add_clocks();
    clock.set_clock_id(id);
    clock.set_timestamp(time);
  };
  add(kMonotonic, clocks.monotonic);
  add(kBoottime, clocks.boottime);
  add(kRealtime, clocks.realtime);
  out.set_primary_trace_clock(kMonotonic);
}

}  // namespace

TrackId TrackUuid(std::string_view kind, uint64_t a, uint64_t b, uint64_t c) {
  uint64_t hash = base::HashText(kind);
  for (const uint64_t part : {a, b, c}) hash = base::MixHash(hash ^ base::MixHash(part + 0x9e3779b97f4a7c15u));
  return hash == 0 ? 1 : hash;  // 0 is the trace's own track
}

void PerfettoWriter::WritePacket(std::string_view bytes) {
  std::string head;
  AppendVarint(head, Key(1, 2));
  AppendVarint(head, bytes.size());
  out_->write(head.data(), static_cast<std::streamsize>(head.size()));
  out_->write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void PerfettoWriter::Write(const TracePacket& packet) {
  packet.SerializeToString(&buffer_);
  WritePacket(buffer_);
}

void PerfettoWriter::Begin(const record::ClockSnapshot& clocks) {
  TracePacket packet;
  packet.set_trusted_packet_sequence_id(kSequence);
  packet.set_sequence_flags(TracePacket::SEQ_INCREMENTAL_STATE_CLEARED);
  packet.set_incremental_state_cleared(true);
  packet.mutable_trace_packet_defaults()->set_timestamp_clock_id(kMonotonic);
  FillClocks(clocks, *packet.mutable_clock_snapshot());
  Write(packet);
}

void PerfettoWriter::Clocks(const record::ClockSnapshot& clocks) {
  TracePacket packet;
  packet.set_trusted_packet_sequence_id(kSequence);
  FillClocks(clocks, *packet.mutable_clock_snapshot());
  Write(packet);
}

uint64_t PerfettoWriter::Intern(Names& names, std::string_view name, Kind kind) {
  const std::string safe = analysis::SafeText(name);
  const auto [entry, is_new] = names.try_emplace(safe, names.size() + 1);
  if (!is_new) return entry->second;
  TracePacket packet;
  packet.set_trusted_packet_sequence_id(kSequence);
  packet.set_sequence_flags(TracePacket::SEQ_NEEDS_INCREMENTAL_STATE);
  perfetto::InternedData& data = *packet.mutable_interned_data();
  perfetto::InternedName& out = kind == Kind::kEvent      ? *data.add_event_names()
                                : kind == Kind::kCategory ? *data.add_event_categories()
                                                          : *data.add_debug_annotation_names();
  out.set_iid(entry->second);
  out.set_name(safe);
  Write(packet);
  return entry->second;
}

void PerfettoWriter::Declare(const perfetto::TrackDescriptor& track) {
  if (!declared_.insert(track.uuid()).second) return;
  TracePacket packet;
  packet.set_trusted_packet_sequence_id(kSequence);
  *packet.mutable_track_descriptor() = track;
  Write(packet);
}

// Put together by hand from fields that are already bytes: this is the path of every event.
void PerfettoWriter::Event(perfetto::TrackEvent::Type type, TrackId track, record::TimeNs time,
                           std::string_view event) {
  std::string tail;
  AppendVarint(tail, Key(perfetto::TrackEvent::kTypeFieldNumber, 0));
  AppendVarint(tail, type);
  AppendVarint(tail, Key(perfetto::TrackEvent::kTrackUuidFieldNumber, 0));
  AppendVarint(tail, track);
  buffer_.clear();
  AppendVarint(buffer_, Key(TracePacket::kTimestampFieldNumber, 0));
  AppendVarint(buffer_, time);
  AppendVarint(buffer_, Key(TracePacket::kTrustedPacketSequenceIdFieldNumber, 0));
  AppendVarint(buffer_, kSequence);
  AppendVarint(buffer_, Key(TracePacket::kTrackEventFieldNumber, 2));
  AppendVarint(buffer_, event.size() + tail.size());
  buffer_.append(event);
  buffer_.append(tail);
  AppendVarint(buffer_, Key(TracePacket::kSequenceFlagsFieldNumber, 0));
  AppendVarint(buffer_, TracePacket::SEQ_NEEDS_INCREMENTAL_STATE);
  WritePacket(buffer_);
  ++events_;
}

void PerfettoWriter::Counter(TrackId track, record::TimeNs time, int64_t value) {
  perfetto::TrackEvent event;
  event.set_counter_value(value);
  Event(perfetto::TrackEvent::TYPE_COUNTER, track, time, event.SerializeAsString());
}

void PerfettoWriter::DataLoss(record::TimeNs time) {
  TracePacket packet;
  packet.set_trusted_packet_sequence_id(kLossSequence);
  packet.set_previous_packet_dropped(true);
  packet.set_timestamp(time);
  packet.set_timestamp_clock_id(kMonotonic);
  Write(packet);
}

}  // namespace slowtoken::exporting
