// The lines that tell people what a report cannot say, the loudest first. Pure function of the coverage.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <string>
#include <vector>

#include "reader/process_info.h"

namespace slowtoken::report {

// Before the name of a cause: lost while reading the trace, by tables that were too small.
inline constexpr const char* kReadingPrefix = "reading_";

std::vector<std::string> CoverageWarnings(const v1::Coverage& coverage,
                                          const std::vector<reader::ProcessInfo>& processes);

}  // namespace slowtoken::report
