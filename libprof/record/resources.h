// Things that exist while events happen: devices, contexts, streams, threads, NVTX domains; and the process itself.
// Emitted once when first seen; the trace repeats them at the head of each chunk. Views are valid during the call.
#pragma once

#include <string_view>

#include "record/ids.h"

namespace slowtoken::record {

struct DeviceInfo {
  uint8_t uuid[16] = {};  // CUuuid; the MIG instance's where there is one. All 0: not known
  bool is_mig = false;
  uint32_t ordinal = 0;  // CUPTI's device id in this process
  StringId name = 0;
  uint32_t sm_count = 0;
  uint32_t compute_major = 0;
  uint32_t compute_minor = 0;
  uint64_t memory_bytes = 0;
  uint64_t memory_bandwidth = 0;  // bytes per second
  uint32_t core_clock_khz = 0;
  ProcessIndex process = 0;

  bool has_uuid() const {
    for (const uint8_t byte : uuid) {
      if (byte != 0) return true;
    }
    return false;
  }
};

struct ContextInfo {
  uint32_t context = 0;
  uint32_t device = 0;
  ProcessIndex process = 0;
};

struct StreamInfo {
  uint32_t stream = 0;
  uint32_t context = 0;
  int32_t priority = 0;
  ProcessIndex process = 0;
};

struct ThreadInfo {
  ThreadId thread = 0;
  StringId name = 0;  // /proc/self/task/TID/comm, or as NVTX named it
  ProcessIndex process = 0;
};

struct NvtxDomainInfo {
  DomainId domain = 0;
  StringId name = 0;
  ProcessIndex process = 0;
};

// A category's name within a domain.
struct NvtxCategoryInfo {
  DomainId domain = 0;
  uint32_t category = 0;
  StringId name = 0;
  ProcessIndex process = 0;
};

// The clear text behind a pseudonym; recorded only with --ids=clear.
struct RequestIdText {
  RequestId req = 0;
  std::string_view text;
  ProcessIndex process = 0;
};

}  // namespace slowtoken::record
