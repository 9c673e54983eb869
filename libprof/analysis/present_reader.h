// ReadPresent: from the answer of a process on the control socket, which is a small trace, to what it says of itself.
// Called by the command line once an answer. Single threaded, offline; 4 MB while it reads.
#pragma once

#include <absl/status/statusor.h>

#include <string_view>

#include "analysis/present.h"

namespace slowtoken::analysis {

// Reads the trace that followed an answer.
absl::StatusOr<Present> ReadPresent(std::string_view trace);

}  // namespace slowtoken::analysis
