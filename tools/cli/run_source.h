// Where `slowtoken diff` takes a run from: traces, or the log of a load client, which needs no profiler.
#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "analysis/run_sample.h"
#include "service_levels.h"

namespace slowtoken::cli {

// `path`: a trace file, a directory of traces, or a client's log (.jsonl: a line a request with `send`, `chunks`,
// `status`, `finish`; times in ns). Shows progress as `verb`.
absl::StatusOr<analysis::RunSample> ReadRun(const std::string& path, const AskedLevels& levels, const char* verb);

}  // namespace slowtoken::cli
