#include "reader/chunk_decoder.h"

#include "reader/bind_columns.h"

namespace slowtoken::reader {

void ChunkDecoder::Load(const v1::Chunk& chunk) {
  problems_.clear();
  if (!tables_.Load(chunk)) Problem("kernel shapes or lanes");
}

// A batch whose columns are those of its table and nothing else.
template <typename Event, typename BatchMessage>
void ChunkDecoder::Simple(const BatchMessage& batch, const char* name, record::EventVisitor& out) {
  Cursors cursors;
  BindColumns(batch, cursors);
  if (!cursors.Check()) return Problem(name);
  RowReader reader(cursors, tables_);
  for (size_t i = 0; i < cursors.rows; ++i) {
    Event event;
    trace::Columns<Event>::Each(event, reader);
    event.process = tables_.process();
    out.On(event);
  }
}

void ChunkDecoder::DeliverEvents(const v1::Chunk& chunk, record::EventVisitor& out) {
  Ranges(chunk.ranges(), out);
  Marks(chunk.marks(), out);
  Annotations(chunk.annotations(), out);
  RequestIdTexts(chunk.request_id_texts(), out);
  ApiCalls(chunk.api_calls(), out);
  Kernels(chunk.kernels(), out);
  Simple<record::Memcpy>(chunk.memcpys(), "memcpys", out);
  Simple<record::Memset>(chunk.memsets(), "memsets", out);
  Simple<record::GraphLaunch>(chunk.graph_launches(), "graph launches", out);
  Simple<record::Synchronization>(chunk.synchronizations(), "synchronizations", out);
  Simple<record::Overhead>(chunk.overheads(), "overheads", out);
  Simple<record::OwnCost>(chunk.own_costs(), "own costs", out);
  Simple<record::Trigger>(chunk.triggers(), "triggers", out);
  Simple<record::CounterSnapshot>(chunk.counters(), "counters", out);
  Simple<record::DeviceSample>(chunk.device_samples(), "device samples", out);
  Simple<record::OffCpu>(chunk.off_cpu(), "off-CPU times", out);
  Simple<record::CpuSample>(chunk.cpu_samples(), "CPU samples", out);
  Simple<record::HostSample>(chunk.host_samples(), "host samples", out);
  RequestSummaries(chunk.request_summaries(), out);
  GapSummaries(chunk.gap_summaries(), out);
  IterationSummaries(chunk.iteration_summaries(), out);
  Histograms(chunk.histograms(), out);
  if (tables_.bad_positions() != 0)
    problems_.push_back("events name texts, shapes, lanes or requests it does not have");
}

void ChunkDecoder::DeliverBatchesAtStart(const v1::Chunk& chunk, record::EventVisitor& out) {
  Annotations(chunk.batches_at_start(), out);
}

void ChunkDecoder::DeliverOpen(const v1::Chunk& chunk, record::EventVisitor& out) {
  Ranges(chunk.open_ranges(), out);
  Annotations(chunk.open_annotations(), out);
}

void ChunkDecoder::DeliverAdvance(const v1::Chunk& chunk, record::EventVisitor& out) {
  if (!chunk.has_advance()) return;
  out.On(record::Advance{tables_.HostTime(chunk.advance().watermark()), tables_.HostTime(chunk.advance().now()),
                         tables_.process()});
}

}  // namespace slowtoken::reader
