// What a report says about traces that another tool recorded (docs/IMPORT.md): importers write it into the trace as
// conditions named "import.…". Called once, after the replay.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <string_view>

#include "analysis/trace_analysis.h"

namespace slowtoken::report {

// A condition that goes into coverage and not into the list of conditions.
bool IsAboutImport(std::string_view condition);

// Into coverage.missing and coverage.notes.
void AddImported(const analysis::TraceAnalysis& analysis, v1::Coverage& coverage);

// Nobody knows what was lost before the import; `dropped` holds what reading could not keep.
bool LossesUnknown(const v1::Coverage& coverage);

}  // namespace slowtoken::report
