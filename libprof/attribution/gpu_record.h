// GpuRecord: what attribution keeps of one GPU record until its launch is known. Plain data, 40 bytes.
#pragma once

#include "record/ids.h"

namespace slowtoken::attribution {

enum class GpuOperation : uint8_t { kKernel, kSampleKernel, kCollectiveKernel, kGraph, kReadback, kOther };

struct GpuRecord {
  record::TimeNs start = 0, end = 0;  // 0, 0: no usable time
  record::TimeNs due = 0;             // joined once this is settled
  record::CorrelationId correlation = 0;
  record::LaneId lane = 0;
  record::ProcessIndex process = 0;
  GpuOperation operation = GpuOperation::kOther;
  uint8_t device = 0;    // which bit of Devices' masks
  bool counted = false;  // its time was told to DeviceTime and to the JoinVisitor

  uint64_t device_bit() const { return uint64_t{1} << device; }
  bool timed() const { return end != 0; }
  // A kernel or a graph replay; the rest are copies and memsets.
  bool is_compute() const { return operation != GpuOperation::kReadback && operation != GpuOperation::kOther; }
};

}  // namespace slowtoken::attribution
