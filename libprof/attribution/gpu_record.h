// GpuRecord: what attribution keeps of one GPU record until its launch is known. Plain data, 40 bytes.
#pragma once

#include "record/ids.h"

namespace slowtoken::attribution {

enum class GpuOperation : uint8_t { kKernel, kSampleKernel, kCollectiveKernel, kGraph, kReadback, kOther };

struct GpuRecord {
  record::TimeNs start = 0;  // 0: no usable time
  record::TimeNs end = 0;    // of one without a time, when it came: joined once this is settled
  record::CorrelationId correlation = 0;
  record::LaneId lane = 0;
  record::ShapeId shape = 0;  // of a kernel
  uint32_t graph_id = 0;      // 0 = outside graphs
  record::ProcessIndex process = 0;
  GpuOperation operation = GpuOperation::kOther;
  uint8_t device = 0;    // which bit of Devices' masks
  bool counted = false;  // its time was told to DeviceTime and to the JoinVisitor

  uint64_t device_bit() const { return uint64_t{1} << device; }
  bool timed() const { return start != 0; }
  void ForgetTime(record::TimeNs came) {
    start = 0;
    end = came;
  }
  // A kernel or a graph replay; the rest are copies and memsets.
  bool is_compute() const { return operation != GpuOperation::kReadback && operation != GpuOperation::kOther; }
};

static_assert(sizeof(GpuRecord) == 40);

}  // namespace slowtoken::attribution
