#include "trace/chunk_writer.h"

#include <protozero/basic_pbf_writer.hpp>

#include "trace/fixed_buffer.h"
#include "trace/frame.h"

namespace slowtoken::trace {
namespace {

using Writer = protozero::basic_pbf_writer<FixedBuffer>;

// Field numbers of slowtoken.v1.Chunk outside the batches.
enum ChunkField : uint32_t {
  kHeader = 1,
  kAdvance = 2,
  kLosses = 3,
  kCaptureTotals = 4,
  kConditions = 5,
  kDevices = 10,
  kContexts = 11,
  kStreams = 12,
  kThreads = 13,
  kDomains = 14,
  kCategories = 15,
  kSources = 16,
  kTexts = 20,
  kRequests = 23,
};

uint32_t VarintSize(uint64_t value) {
  uint32_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

// The proto3 rule: a field that is 0 or empty is not written.
void Uint(Writer& w, uint32_t field, uint64_t value) {
  if (value != 0) w.add_uint64(field, value);
}
void Sint(Writer& w, uint32_t field, int64_t value) {
  if (value != 0) w.add_sint64(field, value);
}
void Bytes(Writer& w, uint32_t field, std::string_view text) {
  if (!text.empty()) w.add_bytes(field, text.data(), text.size());
}

void WriteHeader(Writer& chunk, const FileHeader& h) {
  Writer w{chunk, kHeader};
  Bytes(w, 1, h.run_id);
  Bytes(w, 2, h.role);
  Uint(w, 3, h.pid);
  Uint(w, 4, h.pid_start_ticks);
  Bytes(w, 5, h.boot_id);
  Sint(w, 6, h.timens_offset_ns);
  Uint(w, 7, h.start);
  Uint(w, 8, h.start_utc);
  Bytes(w, 9, h.host);
  Bytes(w, 10, h.key_id);
  Uint(w, 11, h.ids_joinable ? 1 : 0);
  Uint(w, 12, h.memory_cap_bytes);
  Uint(w, 13, h.graph_nodes ? 1 : 0);
  Uint(w, 14, h.tsc_usable ? 1 : 0);
  Bytes(w, 15, h.writer_version);
  Uint(w, 16, kFormatVersion);
  for (const Label& label : h.labels) {
    Writer l{w, 17};
    Bytes(l, 1, label.key);
    Bytes(l, 2, label.value);
  }
  Uint(w, 18, static_cast<uint64_t>(h.part));
}

void WriteAdvance(Writer& chunk, const record::Advance& advance) {
  Writer w{chunk, kAdvance};
  // Written even when 0: the message must exist, it is what ends a group of chunks.
  w.add_uint64(1, advance.watermark);
  Uint(w, 2, advance.now);
}

void WriteTotals(Writer& chunk, const LiveState& live) {
  for (size_t i = 0; i < base::kLossCount; ++i) {
    if (live.losses.counts[i] == 0) continue;
    Writer w{chunk, kLosses};
    Bytes(w, 1, base::kLossNames[i]);
    Uint(w, 2, live.losses.counts[i]);
  }
  Writer w{chunk, kCaptureTotals};
  const record::CaptureTotals& t = live.totals;
  Uint(w, 1, t.launches);
  Uint(w, 2, t.launches_captured);
  Uint(w, 3, t.kernels);
  Uint(w, 4, t.graph_launches);
  Uint(w, 5, t.memcpys);
  Uint(w, 6, t.nvtx_events);
  Uint(w, 7, t.annotations);
}

void WriteDevice(Writer& w, const record::DeviceInfo& d, const LocalIds& texts) {
  w.add_bytes(1, reinterpret_cast<const char*>(d.uuid), sizeof d.uuid);
  Uint(w, 2, d.is_mig ? 1 : 0);
  Uint(w, 3, d.ordinal);
  Uint(w, 4, texts.Find(d.name));
  Uint(w, 5, d.sm_count);
  Uint(w, 6, d.compute_major);
  Uint(w, 7, d.compute_minor);
  Uint(w, 8, d.memory_bytes);
  Uint(w, 9, d.memory_bandwidth);
  Uint(w, 10, d.core_clock_khz);
}

void WriteSource(Writer& w, const record::SourceStatus& s, const LocalIds& texts) {
  // Never empty, as protozero leaves an empty message out: 0 is a state like any other.
  w.add_uint64(1, static_cast<uint64_t>(s.source));
  Uint(w, 2, static_cast<uint64_t>(s.state));
  Sint(w, 3, s.error);
  Uint(w, 4, s.version);
  Uint(w, 5, texts.Find(s.detail));
  Uint(w, 6, s.time);
  Uint(w, 7, static_cast<uint64_t>(s.reason));
}

void WriteResources(Writer& chunk, const LiveState& live, const LocalIds& texts) {
  for (const record::Condition& c : live.conditions.items()) {
    Writer w{chunk, kConditions};
    Uint(w, 1, texts.Find(c.name));
    Uint(w, 2, texts.Find(c.value));
  }
  for (const record::DeviceInfo& d : live.devices.items()) {
    Writer w{chunk, kDevices};
    WriteDevice(w, d, texts);
  }
  for (const record::ContextInfo& c : live.contexts.items()) {
    Writer w{chunk, kContexts};
    w.add_uint64(1, c.context);
    Uint(w, 2, c.device);
  }
  for (const record::StreamInfo& s : live.streams.items()) {
    Writer w{chunk, kStreams};
    w.add_uint64(1, s.stream);
    Uint(w, 2, s.context);
    Sint(w, 3, s.priority);
  }
  for (const record::ThreadInfo& t : live.threads.items()) {
    Writer w{chunk, kThreads};
    w.add_uint64(1, t.thread);
    Uint(w, 2, texts.Find(t.name));
  }
  for (const record::NvtxDomainInfo& d : live.domains.items()) {
    Writer w{chunk, kDomains};
    w.add_uint64(1, d.domain);
    Uint(w, 2, texts.Find(d.name));
  }
  for (const record::NvtxCategoryInfo& c : live.categories.items()) {
    Writer w{chunk, kCategories};
    w.add_uint64(1, c.domain);
    Uint(w, 2, c.category);
    Uint(w, 3, texts.Find(c.name));
  }
  for (const record::SourceStatus& s : live.sources.items()) {
    Writer w{chunk, kSources};
    WriteSource(w, s, texts);
  }
}

// Tag, length and content of field `number` with `size` bytes of content.
uint32_t FieldSize(uint32_t number, uint32_t size) { return VarintSize(number << 3) + VarintSize(size) + size; }

void WriteColumn(Writer& batch, FixedBuffer& buffer, uint32_t number, const Column& column, const ColumnStore& store) {
  const Writer w{batch, number, store.Size(column)};
  store.ForEachPiece(column, [&](const uint8_t* data, uint32_t size) { buffer.Append(data, size); });
}

// Sizes are known beforehand, so that nothing has to be moved afterwards.
void WriteBatch(Writer& chunk, FixedBuffer& buffer, const BatchView& view, const ColumnStore& store) {
  const auto count = static_cast<uint32_t>(view.columns.size());
  uint32_t size = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (view.columns[i].any != 0) size += FieldSize(i + 1, store.Size(view.columns[i]));
  }
  const bool has_bytes = view.bytes != nullptr && store.Size(*view.bytes) != 0;
  if (has_bytes) size += FieldSize(count + 1, store.Size(*view.bytes));
  if (size == 0) return;
  Writer w{chunk, view.field, size};
  for (uint32_t i = 0; i < count; ++i) {
    if (view.columns[i].any != 0) WriteColumn(w, buffer, i + 1, view.columns[i], store);
  }
  if (has_bytes) WriteColumn(w, buffer, count + 1, *view.bytes, store);
}

void WriteRequests(Writer& chunk, FixedBuffer& buffer, std::span<const record::RequestId> requests) {
  if (requests.empty()) return;
  const Writer w{chunk, kRequests, requests.size() * sizeof(uint64_t)};
  for (const record::RequestId id : requests) {
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<uint8_t>(id >> (8 * i));
    buffer.Append(bytes, sizeof bytes);
  }
}

}  // namespace

size_t WriteChunk(const ChunkContents& contents, std::span<uint8_t> out) {
  FixedBuffer buffer(out);
  {
    Writer chunk{buffer};
    WriteHeader(chunk, contents.header);
    if (contents.advance != nullptr) WriteAdvance(chunk, *contents.advance);
    WriteTotals(chunk, contents.live);
    WriteResources(chunk, contents.live, contents.texts);
    for (const uint32_t id : contents.texts.used()) {
      const std::string_view text = contents.text_of(contents.dictionary, id);
      chunk.add_bytes(kTexts, text.data(), text.size());
    }
    WriteRequests(chunk, buffer, contents.requests);
    for (const BatchView& view : contents.batches) WriteBatch(chunk, buffer, view, contents.store);
  }
  return buffer.failed() ? 0 : buffer.size();
}

}  // namespace slowtoken::trace
