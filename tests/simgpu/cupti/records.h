// The bytes of each activity record: sizes by kind, and how a SimgpuRecord or an API call becomes the header's struct.
// Pure functions of their arguments (and of the switches and clock); nothing here stores or delivers.
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>

#include "simgpu/core/tool_interface.h"

namespace simgpu::cupti {

// A kind that no header knows, emitted by fault unknown_kind with this size.
inline constexpr uint32_t kUnknownKind = 77;
inline constexpr size_t kUnknownKindBytes = 64;

inline uint32_t KindOf(const void* record) { return *static_cast<const uint32_t*>(record); }

// Bytes from one record to the next (fault extra_bytes included); 0 for a kind without records, as the real library
// answers INVALID_KIND.
size_t RecordSize(uint32_t kind);

// One of RecordClass.
uint32_t ClassOfRecord(const void* record);

// The largest record built from a SimgpuRecord.
union DeviceRecord {
  CUpti_ActivityKernel10 kernel;
  CUpti_ActivityMemcpy6 memcpy;
  CUpti_ActivityMemcpyPtoP4 peer;
  CUpti_ActivityMemset4 memset;
  CUpti_ActivitySynchronization2 sync;
  CUpti_ActivityCudaEvent2 event;
  CUpti_ActivityGraphTrace2 graph;
  CUpti_ActivityMemory4 memory;
};

// Fills `out` without start and end; the kind, or CUPTI_ACTIVITY_KIND_INVALID if CUPTI has no record for it.
CUpti_ActivityKind BuildDeviceRecord(const SimgpuRecord& in, DeviceRecord* out);

// Writes start and end (CUPTI times) into a record of that kind lying in a buffer.
void StampRecord(uint8_t* record, uint32_t kind, uint64_t start, uint64_t end);

CUpti_ActivityAPI MakeApiRecord(const SimgpuApiCall& call, uint32_t cbid, uint64_t start, uint64_t end);
CUpti_ActivityOverhead3 MakeOverhead(CUpti_ActivityOverheadKind kind, uint64_t start, uint64_t end);
CUpti_ActivityExternalCorrelation MakeExternal(CUpti_ExternalCorrelationKind kind, uint64_t id,
                                               uint32_t correlation_id);
CUpti_ActivityDevice5 MakeDevice(const SimgpuDeviceInfo& info);
CUpti_ActivityContext3 MakeContext(uint32_t context_id, uint32_t device_id);
CUpti_ActivityStream MakeStream(uint32_t context_id, uint32_t stream_id, CUpti_ActivityStreamFlag flag,
                                uint32_t priority);

// The calling thread's id as the client chose it (cupti_activity.h:7246-7262).
uint32_t ThreadIdForRecords();

void SleepMs(int64_t milliseconds);

}  // namespace simgpu::cupti
