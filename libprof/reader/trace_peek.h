// TracePeek: who wrote a trace file, from its first readable chunk alone, before the file is taken into a TraceSet.
// Used by TraceChoice. Single threaded, offline. Reads up to the first whole chunk.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace slowtoken::reader {

struct TracePeek {
  std::string path;
  uint64_t bytes = 0;
  uint64_t device = 0, inode = 0;  // of the file itself
  bool has_header = false;         // false: damaged, and not one chunk can be read
  std::string run_id;
  uint64_t start_utc = 0;  // CLOCK_REALTIME when its recording began
};

// An error, one line, where the file cannot be read, is no trace, or holds no trace data yet.
absl::StatusOr<TracePeek> PeekTrace(const std::string& path);

}  // namespace slowtoken::reader
