// ChunkColumns: all columns of the chunk being built, one batch per kind of event. Part of ChunkEncoder. Plain data;
// assigning {} empties it (with ColumnStore::Reset).
#pragma once

#include "trace/column_store.h"
#include "trace/columns.h"

namespace slowtoken::trace {

template <typename Event>
struct Batch {
  Column columns[Columns<Event>::kCount];
  Column& At(unsigned number) { return columns[number - 1]; }
};

struct RequestIdTextColumns {
  Column columns[2];  // req, size
  Column text;        // raw bytes
};

struct ChunkColumns {
  Batch<record::NvtxRange> open_ranges;
  Batch<record::Annotation> open_annotations;
  Batch<record::Annotation> batches_at_start;
  Batch<record::KernelShape> shapes;
  Batch<record::Lane> lanes;
  Batch<KernelSite> kernels;
  Batch<record::Memcpy> memcpys;
  Batch<record::Memset> memsets;
  Batch<record::GraphLaunch> graph_launches;
  Batch<ApiCallSite> api_calls;
  Batch<record::Synchronization> synchronizations;
  Batch<record::Overhead> overheads;
  Batch<record::NvtxRange> ranges;
  Batch<record::NvtxMark> marks;
  Batch<record::Annotation> annotations;
  RequestIdTextColumns request_id_texts;
  Batch<record::ClockSnapshot> clocks;
  Batch<record::OwnCost> own_costs;
  Batch<record::RequestSummary> request_summaries;
  Batch<record::GapSummary> gap_summaries;
  Batch<record::IterationSummary> iteration_summaries;
  Batch<record::HistogramSnapshot> histograms;
  Batch<record::DetailChange> detail_changes;
  Batch<record::Trigger> triggers;
  Batch<record::CounterSnapshot> counters;
  Batch<record::DeviceSample> device_samples;
  Batch<record::OffCpu> off_cpu;
  Batch<record::CpuSample> cpu_samples;
  Batch<record::HostSample> host_samples;
};

}  // namespace slowtoken::trace
