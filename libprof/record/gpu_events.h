// What the GPU did: one struct per kind of activity record, times on CLOCK_MONOTONIC.
// Made by cupti/ on the worker or by reader/ offline; consumed through EventVisitor. Plain data.
#pragma once

#include "record/ids.h"

namespace slowtoken::record {

// A kernel that ran. Its name and launch shape stand once in the Dictionary. graph_id and graph_node_id are 0 outside
// graphs (cupti_activity.h:3133). start == 0 or end == 0: no time could be taken; such records are counted, not summed.
struct Kernel {
  TimeNs start = 0;
  TimeNs end = 0;
  uint64_t graph_node_id = 0;
  uint32_t graph_id = 0;
  CorrelationId correlation = 0;
  ShapeId shape = 0;
  LaneId lane = 0;
  ProcessIndex process = 0;
};

enum class MemoryKind : uint8_t {
  kUnknown,
  kPageable,
  kPinned,
  kDevice,
  kArray,
  kManaged,
  kDeviceStatic,
  kManagedStatic
};
enum class CopyKind : uint8_t { kUnknown, kHtoD, kDtoH, kHtoA, kAtoH, kAtoA, kAtoD, kDtoA, kDtoD, kHtoH, kPtoP };

struct Memcpy {
  TimeNs start = 0;
  TimeNs end = 0;
  uint64_t bytes = 0;
  uint64_t graph_node_id = 0;
  uint32_t graph_id = 0;
  CorrelationId correlation = 0;
  LaneId lane = 0;
  ProcessIndex process = 0;
  CopyKind copy_kind = CopyKind::kUnknown;
  MemoryKind src = MemoryKind::kUnknown;
  MemoryKind dst = MemoryKind::kUnknown;
  bool async = false;
  // Peer copies only: device ordinals of both ends, else -1.
  int32_t src_device = -1;
  int32_t dst_device = -1;
};

struct Memset {
  TimeNs start = 0;
  TimeNs end = 0;
  uint64_t bytes = 0;
  uint64_t graph_node_id = 0;
  uint32_t graph_id = 0;
  uint32_t value = 0;
  CorrelationId correlation = 0;
  LaneId lane = 0;
  ProcessIndex process = 0;
  MemoryKind memory = MemoryKind::kUnknown;
};

// One replay of a whole graph, recorded at launch level: its inside is one interval of GPU work.
struct GraphLaunch {
  TimeNs start = 0;
  TimeNs end = 0;
  uint32_t graph_id = 0;
  CorrelationId correlation = 0;
  LaneId lane = 0;
  ProcessIndex process = 0;
};

}  // namespace slowtoken::record
