// Resources, source states and totals: told when new or changed.
#include <algorithm>
#include <cstring>
#include <map>

#include "reader/bind_columns.h"
#include "reader/chunk_decoder.h"
#include "reader/wire_values.h"

namespace slowtoken::reader {
namespace {

// First word of each key, so that ids of different kinds do not meet.
enum Kind : uint64_t {
  kDevice = 1,
  kContext,
  kStream,
  kThread,
  kDomain,
  kCategory,
  kSource,
  kLosses,
  kTotals,
  kClock,
  kCondition,
  kDetail
};

uint32_t Narrow(uint64_t value) { return static_cast<uint32_t>(value); }

record::DeviceInfo Device(const v1::DeviceInfo& m, const ChunkTables& tables) {
  record::DeviceInfo d;
  memcpy(d.uuid, m.uuid().data(), std::min(m.uuid().size(), sizeof d.uuid));
  d.is_mig = m.is_mig();
  d.ordinal = Narrow(m.ordinal());
  d.name = tables.Text(m.name());
  d.sm_count = Narrow(m.sm_count());
  d.compute_major = Narrow(m.compute_major());
  d.compute_minor = Narrow(m.compute_minor());
  d.memory_bytes = m.memory_bytes();
  d.memory_bandwidth = m.memory_bandwidth();
  d.core_clock_khz = Narrow(m.core_clock_khz());
  d.process = tables.process();
  return d;
}

// Delivers `event` unless the filter knows just this content under this key.
template <typename Event>
void Tell(const Event& event, StateFilter* filter, std::initializer_list<uint64_t> key,
          std::initializer_list<uint64_t> content, record::EventVisitor& out) {
  if (filter == nullptr || filter->IsNew(StateFilter::Mix(key), StateFilter::Mix(content))) out.On(event);
}

void TellDevices(const v1::Chunk& chunk, const ChunkTables& tables, StateFilter* filter, record::EventVisitor& out) {
  for (const v1::DeviceInfo& m : chunk.devices()) {
    const record::DeviceInfo d = Device(m, tables);
    Tell(d, filter, {kDevice, d.ordinal},
         {base::HashBytes(d.uuid, sizeof d.uuid), d.is_mig, d.name, d.sm_count, d.compute_major, d.compute_minor,
          d.memory_bytes, d.memory_bandwidth, d.core_clock_khz},
         out);
  }
}

void TellGpuObjects(const v1::Chunk& chunk, const ChunkTables& tables, StateFilter* filter, record::EventVisitor& out) {
  for (const v1::ContextInfo& m : chunk.contexts()) {
    const record::ContextInfo c{Narrow(m.context()), Narrow(m.device()), tables.process()};
    Tell(c, filter, {kContext, c.context}, {c.device}, out);
  }
  for (const v1::StreamInfo& m : chunk.streams()) {
    const record::StreamInfo s{Narrow(m.stream()), Narrow(m.context()), static_cast<int32_t>(m.priority()),
                               tables.process()};
    Tell(s, filter, {kStream, s.stream, s.context}, {static_cast<uint64_t>(s.priority)}, out);
  }
}

void TellNames(const v1::Chunk& chunk, const ChunkTables& tables, StateFilter* filter, record::EventVisitor& out) {
  for (const v1::ThreadInfo& m : chunk.threads()) {
    const record::ThreadInfo t{Narrow(m.thread()), tables.Text(m.name()), tables.process()};
    Tell(t, filter, {kThread, t.thread}, {t.name}, out);
  }
  for (const v1::NvtxDomainInfo& m : chunk.domains()) {
    const record::NvtxDomainInfo d{Narrow(m.domain()), tables.Text(m.name()), tables.process()};
    Tell(d, filter, {kDomain, d.domain}, {d.name}, out);
  }
  for (const v1::NvtxCategoryInfo& m : chunk.categories()) {
    const record::NvtxCategoryInfo c{Narrow(m.domain()), Narrow(m.category()), tables.Text(m.name()), tables.process()};
    Tell(c, filter, {kCategory, c.domain, c.category}, {c.name}, out);
  }
}

record::SourceStatus StatusOf(const v1::SourceStatus& m, const ChunkTables& tables) {
  record::SourceStatus s;
  s.source = FromWire<record::Source>(m.source());
  s.state = FromWire<record::SourceState>(m.state());
  s.reason = FromWire<record::BlindReason>(m.reason());
  s.error = static_cast<int32_t>(m.error());
  s.version = Narrow(m.version());
  s.detail = tables.Text(m.detail());
  s.time = tables.HostTime(m.time());
  s.process = tables.process();
  return s;
}

void TellSources(const v1::Chunk& chunk, const ChunkTables& tables, StateFilter* filter, record::EventVisitor& out) {
  for (const v1::SourceStatus& m : chunk.sources()) {
    if (!IsKnown<record::Source>(m.source())) continue;
    const record::SourceStatus s = StatusOf(m, tables);
    Tell(s, filter, {kSource, m.source(), m.state()},
         {static_cast<uint64_t>(s.error), s.version, s.detail, s.time, m.reason()}, out);
  }
}

void TellConditions(const v1::Chunk& chunk, const ChunkTables& tables, StateFilter* filter, record::EventVisitor& out) {
  for (const v1::Condition& m : chunk.conditions()) {
    const record::Condition c{tables.Text(m.name()), tables.Text(m.value()), tables.process()};
    Tell(c, filter, {kCondition, c.name}, {c.value}, out);
  }
}

void TellLosses(const v1::Chunk& chunk, const ChunkTables& tables, StateFilter* filter, record::EventVisitor& out) {
  record::LossTotals losses;
  losses.process = tables.process();
  uint64_t content = 0;
  for (const v1::LossTotal& m : chunk.losses()) {
    for (size_t i = 0; i < base::kLossCount; ++i) {
      if (m.cause() != base::kLossNames[i]) continue;
      losses.counts[i] = m.count();
      content = StateFilter::Mix({content, i, m.count()});
    }
  }
  Tell(losses, filter, {kLosses}, {content}, out);
}

void TellTotals(const v1::Chunk& chunk, const ChunkTables& tables, StateFilter* filter, record::EventVisitor& out) {
  const v1::CaptureTotals& m = chunk.capture_totals();
  const record::CaptureTotals t{m.launches(), m.launches_captured(), m.kernels(),     m.graph_launches(),
                                m.memcpys(),  m.nvtx_events(),       m.annotations(), tables.process()};
  Tell(t, filter, {kTotals},
       {t.launches, t.launches_captured, t.kernels, t.graph_launches, t.memcpys, t.nvtx_events, t.annotations}, out);
}

}  // namespace

// The first snapshot of a chunk is the newest of the chunk before.
void ChunkDecoder::Clocks(const v1::ClockSnapshotBatch& batch, record::EventVisitor& out, StateFilter* filter) {
  Cursors cursors;
  BindColumns(batch, cursors);
  if (!cursors.Check()) return Problem("clock snapshots");
  RowReader reader(cursors, tables_);
  for (size_t i = 0; i < cursors.rows; ++i) {
    record::ClockSnapshot c;
    trace::Columns<record::ClockSnapshot>::Each(c, reader);
    c.process = tables_.process();
    Tell(c, filter, {kClock}, {c.monotonic, c.realtime, c.boottime, c.tsc, c.cupti, c.uncertainty_ns}, out);
  }
}

// As clock snapshots: the first is the newest of the chunk before.
void ChunkDecoder::DetailChanges(const v1::DetailChangeBatch& batch, record::EventVisitor& out, StateFilter* filter) {
  Cursors cursors;
  BindColumns(batch, cursors);
  if (!cursors.Check()) return Problem("detail changes");
  RowReader reader(cursors, tables_);
  for (size_t i = 0; i < cursors.rows; ++i) {
    record::DetailChange d;
    trace::Columns<record::DetailChange>::Each(d, reader);
    d.process = tables_.process();
    const auto level = static_cast<uint64_t>(d.level), reason = static_cast<uint64_t>(d.reason),
               unit = static_cast<uint64_t>(d.unit);
    Tell(d, filter, {kDetail}, {d.time, level, reason, d.keep_one_in, d.cost_ppm, d.budget_ppm, unit}, out);
  }
}

void ChunkDecoder::DeliverState(const v1::Chunk& chunk, record::EventVisitor& out, StateFilter* filter) {
  TellDevices(chunk, tables_, filter, out);
  TellGpuObjects(chunk, tables_, filter, out);
  TellNames(chunk, tables_, filter, out);
  TellSources(chunk, tables_, filter, out);
  TellConditions(chunk, tables_, filter, out);
  TellLosses(chunk, tables_, filter, out);
  TellTotals(chunk, tables_, filter, out);
  Clocks(chunk.clocks(), out, filter);
  DetailChanges(chunk.detail_changes(), out, filter);
}

void ChunkDecoder::DeliverMissing(const v1::Chunk& chunk, record::TimeNs from, record::TimeNs to,
                                  record::EventVisitor& out) {
  std::map<record::Source, record::SourceStatus> newest;
  for (const v1::SourceStatus& m : chunk.sources()) {
    if (!IsKnown<record::Source>(m.source())) continue;
    const record::SourceStatus s = StatusOf(m, tables_);
    const auto [known, fresh] = newest.try_emplace(s.source, s);
    if (!fresh && s.time >= known->second.time) known->second = s;
  }
  for (auto& [source, status] : newest) {
    if (!status.EndsBlind() || source == record::Source::kThreads) continue;
    record::SourceStatus lost = status;
    lost.reason = record::BlindReason::kTraceDamaged;
    lost.time = from;
    out.On(lost);
    status.time = to;
    out.On(status);
  }
}

}  // namespace slowtoken::reader
