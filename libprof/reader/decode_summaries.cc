// What attribution concluded inside the process.
#include "reader/bind_columns.h"
#include "reader/chunk_decoder.h"
#include "reader/decode_common.h"

namespace slowtoken::reader {

void ChunkDecoder::RequestSummaries(const v1::RequestSummaryBatch& batch, record::EventVisitor& out) {
  Cursors cursors;
  BindColumns(batch, cursors);
  MaskedArray phases, queue;
  if (!cursors.Check() ||
      !phases.Bind(batch.ttft_phase_mask(), batch.ttft_phase_ns(), cursors.rows, record::kTtftPhaseCount) ||
      !queue.Bind(batch.queue_by_mask(), batch.queue_by_ns(), cursors.rows, record::RequestSummary{}.queue_by.size())) {
    return Problem("request summaries");
  }
  RowReader reader(cursors, tables_);
  for (size_t i = 0; i < cursors.rows; ++i) {
    record::RequestSummary event;
    trace::Columns<record::RequestSummary>::Each(event, reader);
    phases.Next(event.ttft_phases);
    queue.Next(event.queue_by);
    event.process = tables_.process();
    out.On(event);
  }
}

void ChunkDecoder::GapSummaries(const v1::GapSummaryBatch& batch, record::EventVisitor& out) {
  Cursors cursors;
  BindColumns(batch, cursors);
  MaskedArray phases;
  if (!cursors.Check() || !phases.Bind(batch.phase_mask(), batch.phase_ns(), cursors.rows, record::kGapPhaseCount)) {
    return Problem("gap summaries");
  }
  RowReader reader(cursors, tables_);
  for (size_t i = 0; i < cursors.rows; ++i) {
    record::GapSummary event;
    trace::Columns<record::GapSummary>::Each(event, reader);
    phases.Next(event.phases);
    event.process = tables_.process();
    out.On(event);
  }
}

void ChunkDecoder::IterationSummaries(const v1::IterationSummaryBatch& batch, record::EventVisitor& out) {
  Cursors cursors;
  BindColumns(batch, cursors);
  RowList rows;
  if (!cursors.Check() || !rows.Bind(batch)) return Problem("iteration summaries");
  if (rows.count_rows() != 0 && rows.count_rows() != cursors.rows) return Problem("iteration summaries");
  RowReader reader(cursors, tables_);
  for (size_t i = 0; i < cursors.rows; ++i) {
    record::IterationSummary event;
    trace::Columns<record::IterationSummary>::Each(event, reader);
    event.rows = rows.Next(tables_);
    event.process = tables_.process();
    out.On(event);
  }
}

void ChunkDecoder::Histograms(const v1::HistogramSnapshotBatch& batch, record::EventVisitor& out) {
  Cursors cursors;
  BindColumns(batch, cursors);
  NestedList list;
  list.BindCount(batch.bucket_count());
  list.entries[1].Bind(batch.bucket_index());
  list.entries[2].Bind(batch.bucket_value());
  if (!cursors.Check() || !list.Check(batch.bucket_count())) return Problem("histograms");
  if (list.count_rows() != 0 && list.count_rows() != cursors.rows) return Problem("histograms");
  RowReader reader(cursors, tables_);
  std::vector<record::HistogramBucket> buckets;
  for (size_t i = 0; i < cursors.rows; ++i) {
    record::HistogramSnapshot event;
    trace::Columns<record::HistogramSnapshot>::Each(event, reader);
    buckets.resize(list.NextCount());
    for (record::HistogramBucket& bucket : buckets) {
      bucket.index = static_cast<uint32_t>(list.entries[1].Next());
      bucket.count = list.entries[2].Next();
    }
    event.buckets = buckets;
    event.process = tables_.process();
    if (reader.known()) out.On(event);
  }
}

}  // namespace slowtoken::reader
