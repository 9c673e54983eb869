// What host threads did in CUDA and what the profiler itself cost. Times on CLOCK_MONOTONIC. Plain data.
#pragma once

#include "record/ids.h"

namespace slowtoken::record {

enum class ApiDomain : uint8_t { kRuntime, kDriver };

// What a CUDA API call is for us, decided by call-back id where the record is decoded, so that nobody downstream keeps
// a list of API names (bug log row 39).
enum class ApiClass : uint8_t {
  kOther,
  kKernelLaunch,
  kGraphLaunch,
  kMemcpy,
  kMemset,
  kSynchronize,
  kGraphBuild,
  kMemory,
  kModule
};

// One CUDA runtime or driver call of the allow-list. A nested driver call has its runtime call's correlation id.
struct ApiCall {
  TimeNs start = 0;
  TimeNs end = 0;
  CorrelationId correlation = 0;
  uint32_t cbid = 0;         // CUPTI's call-back id, in the numbering of `domain`
  int32_t return_value = 0;  // cudaError_t or CUresult; 0 = success
  ThreadId thread = 0;
  StringId name = 0;  // e.g. cudaLaunchKernel; 0 if CUPTI cannot name it: print the number
  ApiDomain domain = ApiDomain::kRuntime;
  ApiClass api_class = ApiClass::kOther;
  bool captured = false;  // issued during stream capture: it builds a graph and starts nothing
  ProcessIndex process = 0;
};

enum class SyncKind : uint8_t { kUnknown, kEvent, kStreamWaitEvent, kStream, kContext };

struct Synchronization {
  TimeNs start = 0;
  TimeNs end = 0;
  CorrelationId correlation = 0;
  uint32_t event_id = 0;  // CUPTI's, 0 = none
  LaneId lane = 0;
  SyncKind kind = SyncKind::kUnknown;
  ProcessIndex process = 0;
};

enum class OverheadKind : uint8_t {
  kUnknown,
  kDriverCompiler,
  kBufferFlush,
  kInstrumentation,
  kResource,
  kRuntimeLazyLoad,
  kCommandBufferFull,
  kOther
};

// CUPTI's own cost, as CUPTI states it.
struct Overhead {
  TimeNs start = 0;
  TimeNs end = 0;
  ThreadId thread = 0;
  OverheadKind kind = OverheadKind::kUnknown;
  ProcessIndex process = 0;
};

}  // namespace slowtoken::record
