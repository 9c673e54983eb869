// The identifiers of the event vocabulary and the rule that scopes them. Plain integers, no cost.
//
// Every id below is scoped by the process that recorded it. Events carry `process`, the index of that process among
// those being read together (always 0 inside the process itself), so that ids of several processes never meet.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace slowtoken::record {

using base::TimeNs;

using ProcessIndex = uint16_t;
using StringId = uint32_t;       // Dictionary text; 0 = empty
using ShapeId = uint32_t;        // Dictionary kernel shape; 0 = unknown
using LaneId = uint32_t;         // Dictionary lane (device, context, stream); 0 = unknown
using DomainId = uint32_t;       // NVTX domain, numbered by us from 1; 0 = the default domain
using ThreadId = uint32_t;       // Linux thread id (gettid)
using CorrelationId = uint32_t;  // CUPTI's; 0 = none, never joined on (bug log row 100); wraps
using RequestId = uint64_t;      // pseudonym: keyed hash of the engine's request id; 0 = none

// An iteration's key across processes of one run: (engine, dp_rank, iter).
struct IterationKey {
  uint64_t iter = 0;
  uint32_t engine = 0;
  uint32_t dp_rank = 0;
  bool operator==(const IterationKey&) const = default;
};

}  // namespace slowtoken::record
