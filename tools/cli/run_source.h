// Where `slowtoken diff` takes a run from: traces, or the log of a load client, which needs no profiler.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>

#include "analysis/run_sample.h"
#include "service_levels.h"

namespace slowtoken::cli {

// One of the two runs, as the user names it.
struct RunName {
  std::string path = {};  // a trace file, a directory of traces, or a client's log (.jsonl)
  std::string run = {};   // of traces of several runs: which; empty for the newest
  std::string option;     // that names it: "--run-a"
};

// FAILED_PRECONDITION, one line that says how to name two runs, where a file would be read for both: what is compared
// with itself, or with a part of itself, has no difference that chance would explain.
absl::Status AreApart(const RunName& a, const RunName& b);

// Of a client's log (a line a request with `send`, `chunks`, `status`, `finish`; times in ns) or of traces. Shows
// progress as `verb`.
absl::StatusOr<analysis::RunSample> ReadRun(const RunName& name, const AskedLevels& levels, const char* verb);

// Both, judged by one measure: the levels asked for, else those that both were started with, else what is usual in
// each.
struct TwoRuns {
  analysis::RunSample a, b;
};
absl::StatusOr<TwoRuns> ReadTwoRuns(const RunName& a, const RunName& b, const AskedLevels& levels, const char* verb);

}  // namespace slowtoken::cli
