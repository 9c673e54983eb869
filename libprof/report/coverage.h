// How far the rest of a report can be trusted: what was recorded, lost, damaged or never there, and the lines that say
// so to people. Judged once, after the replay. The rules and limits are in docs/METRICS.md ("Coverage").
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <vector>

#include "analysis/trace_analysis.h"
#include "reader/process_info.h"
#include "report/options.h"

namespace slowtoken::report {

void FillConditions(const analysis::TraceAnalysis& analysis, const std::vector<reader::ProcessInfo>& processes,
                    v1::Report& report);

// After all other sections. Takes the idle figures out of `devices` where too many GPU records are missing to tell.
// `reading`: what was lost while reading; its causes are listed as reading_<cause>.
void FillCoverage(const analysis::TraceAnalysis& analysis, const std::vector<reader::ProcessInfo>& processes,
                  const std::vector<const base::LossCounters*>& reading, const ReadingNotes& notes, v1::Report& report);

}  // namespace slowtoken::report
