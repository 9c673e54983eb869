// BindColumns: connects the columns of each generated batch class with their numbers in trace/columns.h. Offline.
#pragma once

#include "reader/column_cursor.h"
#include "slowtoken/v1/trace.pb.h"

namespace slowtoken::reader {

#define SLOWTOKEN_BIND_COLUMN(number, column, member, coding) cursors[number].Bind(batch.column());
#define SLOWTOKEN_BINDER(Batch, TABLE) \
  inline void BindColumns(const v1::Batch& batch, Cursors& cursors) { TABLE(SLOWTOKEN_BIND_COLUMN) }
SLOWTOKEN_BINDER(KernelShapes, SLOWTOKEN_SHAPE_COLUMNS)
SLOWTOKEN_BINDER(Lanes, SLOWTOKEN_LANE_COLUMNS)
SLOWTOKEN_BINDER(KernelBatch, SLOWTOKEN_KERNEL_SITE_COLUMNS)
SLOWTOKEN_BINDER(MemcpyBatch, SLOWTOKEN_MEMCPY_COLUMNS)
SLOWTOKEN_BINDER(MemsetBatch, SLOWTOKEN_MEMSET_COLUMNS)
SLOWTOKEN_BINDER(GraphLaunchBatch, SLOWTOKEN_GRAPH_LAUNCH_COLUMNS)
SLOWTOKEN_BINDER(ApiCallBatch, SLOWTOKEN_API_CALL_SITE_COLUMNS)
SLOWTOKEN_BINDER(SynchronizationBatch, SLOWTOKEN_SYNCHRONIZATION_COLUMNS)
SLOWTOKEN_BINDER(OverheadBatch, SLOWTOKEN_OVERHEAD_COLUMNS)
SLOWTOKEN_BINDER(NvtxRangeBatch, SLOWTOKEN_NVTX_RANGE_COLUMNS)
SLOWTOKEN_BINDER(NvtxMarkBatch, SLOWTOKEN_NVTX_MARK_COLUMNS)
SLOWTOKEN_BINDER(ClockSnapshotBatch, SLOWTOKEN_CLOCK_COLUMNS)
SLOWTOKEN_BINDER(OwnCostBatch, SLOWTOKEN_OWN_COST_COLUMNS)
SLOWTOKEN_BINDER(RequestSummaryBatch, SLOWTOKEN_REQUEST_SUMMARY_COLUMNS)
SLOWTOKEN_BINDER(GapSummaryBatch, SLOWTOKEN_GAP_SUMMARY_COLUMNS)
SLOWTOKEN_BINDER(IterationSummaryBatch, SLOWTOKEN_ITERATION_SUMMARY_COLUMNS)
SLOWTOKEN_BINDER(HistogramSnapshotBatch, SLOWTOKEN_HISTOGRAM_COLUMNS)
SLOWTOKEN_BINDER(DetailChangeBatch, SLOWTOKEN_DETAIL_CHANGE_COLUMNS)
SLOWTOKEN_BINDER(TriggerBatch, SLOWTOKEN_TRIGGER_COLUMNS)
SLOWTOKEN_BINDER(CounterSnapshotBatch, SLOWTOKEN_COUNTER_COLUMNS)
SLOWTOKEN_BINDER(DeviceSampleBatch, SLOWTOKEN_DEVICE_SAMPLE_COLUMNS)
SLOWTOKEN_BINDER(OffCpuBatch, SLOWTOKEN_OFF_CPU_COLUMNS)
SLOWTOKEN_BINDER(CpuSampleBatch, SLOWTOKEN_CPU_SAMPLE_COLUMNS)
SLOWTOKEN_BINDER(HostSampleBatch, SLOWTOKEN_HOST_SAMPLE_COLUMNS)

// Annotations: also name and flags, which are columns as long as the others; values and rows are bound apart.
inline void BindColumns(const v1::AnnotationBatch& batch, Cursors& cursors) {
  SLOWTOKEN_ANNOTATION_COLUMNS(SLOWTOKEN_BIND_COLUMN)
  cursors[trace::kAnnotationName].Bind(batch.name());
  cursors[trace::kAnnotationFlags].Bind(batch.flags());
}
#undef SLOWTOKEN_BINDER
#undef SLOWTOKEN_BIND_COLUMN

}  // namespace slowtoken::reader
