// ImportKineto: a trace of PyTorch's profiler (Kineto), Chrome-trace JSON or the same as gzip, as a trace of ours.
// docs/IMPORT.md says what becomes what and what the result lacks. Used by `slowtoken import`. Single threaded,
// offline. Memory: the JSON and about 70 bytes an event.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "import/source_text.h"
#include "import/trace_output.h"

namespace slowtoken::importing {

struct ImportedTrace {
  std::string role;  // "rank3"; "process" where the file does not say which
  uint64_t pid = 0;
  uint64_t json_bytes = 0;
  uint64_t trace_bytes = 0;
  uint64_t events = 0;             // taken
  std::vector<std::string> notes;  // for people: what was left out, what is missing
};

// Reads `path`. Where the trace goes is decided when its role and pid are known. An error if the file cannot be read,
// is no trace, or has nothing to import: one line that says what, where and what to do.
using PlaceOf = std::function<absl::StatusOr<std::string>(const std::string& role, uint64_t pid)>;
absl::StatusOr<ImportedTrace> ImportKineto(const std::string& path, const PlaceOf& place, ImportRun& run,
                                           const ReadProgress& progress);

}  // namespace slowtoken::importing
