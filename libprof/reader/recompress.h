// RecompressTrace: rewrites a trace with compressed frames, chunk by chunk (the recorder writes them plain). For tools
// and benchmarks. Offline; memory: one frame.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace slowtoken::reader {

// Copies every readable frame of `from` to the new file `to` (which must not exist) with the payload compressed by zstd
// at `level`; a payload that does not get smaller stays as it is. Gives the size of `to` in bytes.
absl::StatusOr<uint64_t> RecompressTrace(const std::string& from, const std::string& to, int level);

}  // namespace slowtoken::reader
