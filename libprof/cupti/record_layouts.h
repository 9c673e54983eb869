// The structs we read activity records through, and the proof that this is safe. CUPTI's records only ever grow at the
// end, and the library in the process may be older or newer than the header we were built with. So each kind is read
// through the oldest struct that has the fields we use, which is no longer than what CUDA 12.4 wrote; and records are
// stepped over as cuptiActivityGetNextRecord does (record_steps.h). The asserts hold the header's newest structs
// against that.
//
// What the header says of its own history (cupti_activity_deprecated.h): Overhead became Overhead2 in CUDA 12.2 and
// then Overhead3; Memcpy5 became Memcpy6 and Synchronization became Synchronization2 in 12.8; Kernel9 (11.8), Device4
// (11.6), GraphTrace, Context and Context2 have had successors since without a date. So no layout is chosen by
// cuptiGetVersion: any of them can be read. record_layouts_test.cc plays each, and longer ones than the header knows.
#pragma once

#include <cupti.h>

#include <cstddef>

namespace slowtoken::cupti {

using KernelRecord = CUpti_ActivityKernel9;  // 11.8
using MemcpyRecord = CUpti_ActivityMemcpy5;  // 11.6
using MemcpyPeerRecord = CUpti_ActivityMemcpyPtoP4;
using MemsetRecord = CUpti_ActivityMemset4;
using GraphRecord = CUpti_ActivityGraphTrace;
using ApiRecord = CUpti_ActivityAPI;
using SyncRecord = CUpti_ActivitySynchronization;
using OverheadRecord = CUpti_ActivityOverhead;
using DeviceRecord = CUpti_ActivityDevice4;
using ContextRecord = CUpti_ActivityContext;
using StreamRecord = CUpti_ActivityStream;

#if CUPTI_API_VERSION >= 130000
#define SLOWTOKEN_SAME_PLACE(Old, New, field) static_assert(offsetof(Old, field) == offsetof(New, field))
SLOWTOKEN_SAME_PLACE(KernelRecord, CUpti_ActivityKernel10, registersPerThread);
SLOWTOKEN_SAME_PLACE(KernelRecord, CUpti_ActivityKernel10, start);
SLOWTOKEN_SAME_PLACE(KernelRecord, CUpti_ActivityKernel10, deviceId);
SLOWTOKEN_SAME_PLACE(KernelRecord, CUpti_ActivityKernel10, gridX);
SLOWTOKEN_SAME_PLACE(KernelRecord, CUpti_ActivityKernel10, localMemoryPerThread);
SLOWTOKEN_SAME_PLACE(KernelRecord, CUpti_ActivityKernel10, correlationId);
SLOWTOKEN_SAME_PLACE(KernelRecord, CUpti_ActivityKernel10, name);
SLOWTOKEN_SAME_PLACE(KernelRecord, CUpti_ActivityKernel10, graphNodeId);
SLOWTOKEN_SAME_PLACE(KernelRecord, CUpti_ActivityKernel10, graphId);
SLOWTOKEN_SAME_PLACE(KernelRecord, CUpti_ActivityKernel10, clusterX);
SLOWTOKEN_SAME_PLACE(MemcpyRecord, CUpti_ActivityMemcpy6, start);
SLOWTOKEN_SAME_PLACE(MemcpyRecord, CUpti_ActivityMemcpy6, correlationId);
SLOWTOKEN_SAME_PLACE(MemcpyRecord, CUpti_ActivityMemcpy6, graphId);
SLOWTOKEN_SAME_PLACE(GraphRecord, CUpti_ActivityGraphTrace2, start);
SLOWTOKEN_SAME_PLACE(GraphRecord, CUpti_ActivityGraphTrace2, streamId);
SLOWTOKEN_SAME_PLACE(SyncRecord, CUpti_ActivitySynchronization2, start);
SLOWTOKEN_SAME_PLACE(SyncRecord, CUpti_ActivitySynchronization2, cudaEventId);
SLOWTOKEN_SAME_PLACE(OverheadRecord, CUpti_ActivityOverhead3, objectId);
SLOWTOKEN_SAME_PLACE(OverheadRecord, CUpti_ActivityOverhead3, end);
SLOWTOKEN_SAME_PLACE(DeviceRecord, CUpti_ActivityDevice5, name);
SLOWTOKEN_SAME_PLACE(DeviceRecord, CUpti_ActivityDevice5, migUuid);
SLOWTOKEN_SAME_PLACE(ContextRecord, CUpti_ActivityContext3, deviceId);
#undef SLOWTOKEN_SAME_PLACE
#endif

}  // namespace slowtoken::cupti
