// --slo=ttft:T,itl:T, with a message for people; and which levels a reading of traces judges by: those that the user
// asks for, else those the run itself was started with. Pure functions, but for LevelsOfRun, which reads the first
// chunks of the traces.
#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "base/settings.h"
#include "reader/trace_set.h"

namespace slowtoken::cli {

using base::ServiceLevels;

// Empty text gives no levels. The message says what is accepted.
absl::StatusOr<ServiceLevels> ParseServiceLevels(const std::string& text);

// The levels a user asks a reading verb for.
struct AskedLevels {
  ServiceLevels levels = {};  // 0 = not given
  bool none = false;          // where none is given what is usual decides, whatever the run was started with
};
inline constexpr const char* kSloHelp =
    "what counts as slow, such as ttft:500ms,itl:50ms, or `none`: 2.5 times what is usual (default: the --slo that the "
    "run was started with)";
absl::StatusOr<AskedLevels> ParseAskedLevels(const std::string& text);

// What the processes of a run say in their traces about its --slo.
ServiceLevels LevelsOfRun(const reader::TraceSet& traces);

// The levels that count.
struct JudgingLevels {
  ServiceLevels levels;
  bool ttft_of_run = false, itl_of_run = false;  // not asked for: the run's own
};
JudgingLevels JudgeBy(const AskedLevels& asked, const ServiceLevels& of_run);

}  // namespace slowtoken::cli
