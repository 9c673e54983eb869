// The runs of `overhead`: starts the command without and with slowtoken in the planned order, and collects what was
// measured. On the only thread; blocks until all runs have ended.
#pragma once

#include <absl/status/statusor.h>

#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "overhead_result.h"

namespace slowtoken::cli {

struct OverheadPlan {
  std::vector<std::string> command;
  std::vector<std::string> run_options;  // for `slowtoken run`
  bool simulated = false;
  size_t pairs = 10;
  size_t warm_up = 1;  // pairs before, which do not count
  uint64_t seed = 0;
  std::optional<std::regex> figures;  // of the command's output
  std::string figures_file;           // empty: none; removed before each run
  std::filesystem::path folder;       // for outputs and traces of the runs
};

// Wall time, CPU time and peak memory, then the command's own figures by name; without directions and limits. The error
// names the run that failed and where its output is. `missing` receives the figures that not every run gave.
absl::StatusOr<OverheadResult> MeasureOverhead(const OverheadPlan& plan, std::vector<std::string>& missing);

}  // namespace slowtoken::cli
