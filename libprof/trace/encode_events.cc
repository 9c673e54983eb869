// All other kinds of event: each makes sure that the chunk has room, then adds a row.
#include "trace/chunk_encoder.h"

namespace slowtoken::trace {
namespace {

size_t FieldTexts(const ChunkBuilder& chunk, std::span<const record::PayloadField> fields) {
  size_t bytes = 0;
  for (const record::PayloadField& field : fields) {
    bytes += chunk.NewTextBytes(field.name);
    if (field.type == record::PayloadType::kText)
      bytes += chunk.NewTextBytes(static_cast<record::StringId>(field.bits));
  }
  return bytes;
}

size_t AnnotationTexts(const ChunkBuilder& chunk, const record::Annotation& event) {
  size_t bytes = 0;
  for (unsigned i = 0; i < record::kAnnotationFieldCount; ++i) {
    const bool text = record::kAnnotationFieldTypes[i] == record::FieldType::kText && (event.present >> i & 1) != 0;
    if (text) bytes += chunk.NewTextBytes(static_cast<record::StringId>(event.values[i]));
  }
  return bytes;
}

constexpr size_t kFieldValues = 3;      // columns of a payload field
constexpr size_t kRowValues = 4;        // columns of a batch row
constexpr size_t kBucketValues = 2;     // columns of a histogram bucket
constexpr size_t kRequestFields = 3;    // of an annotation: req, parent, alias
constexpr size_t kSummaryRequests = 2;  // its own, and that of its evidence

}  // namespace

void ChunkEncoder::On(const record::Memcpy& event) {
  if (ReadyForOne()) chunk_.AddRow(chunk_.columns.memcpys, event);
}

void ChunkEncoder::On(const record::Memset& event) {
  if (ReadyForOne()) chunk_.AddRow(chunk_.columns.memsets, event);
}

void ChunkEncoder::On(const record::GraphLaunch& event) {
  if (ReadyForOne()) chunk_.AddRow(chunk_.columns.graph_launches, event);
}

void ChunkEncoder::On(const record::Synchronization& event) {
  if (ReadyForOne()) chunk_.AddRow(chunk_.columns.synchronizations, event);
}

void ChunkEncoder::On(const record::Overhead& event) {
  if (ReadyForOne()) chunk_.AddRow(chunk_.columns.overheads, event);
}

void ChunkEncoder::On(const record::NvtxRange& event) {
  if (!Awake() || mode_ == Mode::kBatchesAtStart) return;
  const size_t texts = chunk_.NewTextBytes(event.message) + FieldTexts(chunk_, event.fields);
  if (!Ready(event.fields.size() * kFieldValues, texts)) return;
  Batch<record::NvtxRange>& batch = mode_ == Mode::kEvents ? chunk_.columns.ranges : chunk_.columns.open_ranges;
  chunk_.AddRow(batch, event);
  chunk_.AddFields(batch, kRangeFieldCount, event.fields);
}

void ChunkEncoder::On(const record::NvtxMark& event) {
  if (!Awake()) return;
  const size_t texts = chunk_.NewTextBytes(event.message) + FieldTexts(chunk_, event.fields);
  if (!Ready(event.fields.size() * kFieldValues, texts)) return;
  chunk_.AddRow(chunk_.columns.marks, event);
  chunk_.AddFields(chunk_.columns.marks, kMarkFieldCount, event.fields);
}

void ChunkEncoder::On(const record::Annotation& event) {
  const bool is_batch = event.name == record::AnnotationName::kBatch;
  if (!Awake() || mode_ == (is_batch ? Mode::kOpenAtEnd : Mode::kBatchesAtStart)) return;
  if (!Ready(event.rows.size() * kRowValues, AnnotationTexts(chunk_, event), event.rows.size() + kRequestFields))
    return;
  ChunkColumns& columns = chunk_.columns;
  chunk_.AddAnnotation(mode_ == Mode::kEvents      ? columns.annotations
                       : mode_ == Mode::kOpenAtEnd ? columns.open_annotations
                                                   : columns.batches_at_start,
                       event);
}

void ChunkEncoder::On(const record::RequestIdText& event) {
  if (!Ready(event.text.size() / kMaxVarint + 1, 0, 1)) return;
  RequestIdTextColumns& batch = chunk_.columns.request_id_texts;
  batch.columns[0].any |= 1;
  chunk_.store.PutDelta(batch.columns[0], chunk_.UseRequest(event.req));
  chunk_.store.PutDelta(batch.columns[1], event.text.size());
  for (const char c : event.text) chunk_.store.PutByte(batch.text, static_cast<uint8_t>(c));
}

void ChunkEncoder::On(const record::ClockSnapshot& event) {
  if (!Ready()) return;
  chunk_.AddRow(chunk_.columns.clocks, event);
  live_.clock = event;
}

void ChunkEncoder::On(const record::OwnCost& event) {
  if (ReadyForOne()) chunk_.AddRow(chunk_.columns.own_costs, event);
}

void ChunkEncoder::On(const record::DetailChange& event) {
  if (!ReadyForOne()) return;
  chunk_.AddRow(chunk_.columns.detail_changes, event);
  live_.detail = event;
}

void ChunkEncoder::On(const record::Trigger& event) {
  if (Ready(0, chunk_.NewTextBytes(event.text), 1)) chunk_.AddRow(chunk_.columns.triggers, event);
}

void ChunkEncoder::On(const record::CounterSnapshot& event) {
  if (ReadyForOne()) chunk_.AddRow(chunk_.columns.counters, event);
}

void ChunkEncoder::On(const record::DeviceSample& event) {
  if (!ReadyForOne()) return;
  chunk_.AddRow(chunk_.columns.device_samples, event);
  live_.device_samples.Put(event, [&](const record::DeviceSample& old) { return old.device == event.device; });
}

void ChunkEncoder::On(const record::OffCpu& event) {
  if (ReadyForOne()) chunk_.AddRow(chunk_.columns.off_cpu, event);
}

void ChunkEncoder::On(const record::CpuSample& event) {
  if (ReadyForOne()) chunk_.AddRow(chunk_.columns.cpu_samples, event);
}

void ChunkEncoder::On(const record::HostSample& event) {
  if (ReadyForOne()) chunk_.AddRow(chunk_.columns.host_samples, event);
}

void ChunkEncoder::On(const record::RequestSummary& event) {
  if (!Ready(event.ttft_phases.size() + event.queue_by.size(), 0, kSummaryRequests)) return;
  Batch<record::RequestSummary>& batch = chunk_.columns.request_summaries;
  chunk_.AddRow(batch, event);
  chunk_.AddMasked(&batch.At(kRequestPhaseMask), event.ttft_phases);
  chunk_.AddMasked(&batch.At(kRequestQueueMask), event.queue_by);
}

void ChunkEncoder::On(const record::GapSummary& event) {
  if (!Ready(event.phases.size(), 0, kSummaryRequests)) return;
  Batch<record::GapSummary>& batch = chunk_.columns.gap_summaries;
  chunk_.AddRow(batch, event);
  chunk_.AddMasked(&batch.At(kGapPhaseMask), event.phases);
}

void ChunkEncoder::On(const record::IterationSummary& event) {
  if (!Ready(event.rows.size() * kRowValues, 0, event.rows.size())) return;
  Batch<record::IterationSummary>& batch = chunk_.columns.iteration_summaries;
  chunk_.AddRow(batch, event);
  chunk_.AddRows(&batch.At(kIterationRowCount), event.rows);
}

void ChunkEncoder::On(const record::HistogramSnapshot& event) {
  if (!Ready(event.buckets.size() * kBucketValues)) return;
  Batch<record::HistogramSnapshot>& batch = chunk_.columns.histograms;
  chunk_.AddRow(batch, event);
  Column* count = &batch.At(kHistogramBucketCount);
  chunk_.store.PutDelta(count[0], event.buckets.size());
  for (const record::HistogramBucket& bucket : event.buckets) {
    count[1].any |= 1;
    chunk_.store.PutDelta(count[1], bucket.index);
    chunk_.store.PutDelta(count[2], bucket.count);
  }
}

}  // namespace slowtoken::trace
