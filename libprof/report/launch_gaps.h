// Who launched late: the report's section `launch_gaps`, and what the devices' timelines say beside busy and idle.
// Called by ReportBuilder once the coverage is known. Definitions: docs/METRICS.md.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <vector>

#include "analysis/trace_analysis.h"
#include "reader/process_info.h"

namespace slowtoken::report {

// When an iteration that only decodes ran, by its `iter` range.
struct DecodeWindow {
  record::TimeNs start = 0, end = 0;
  record::ProcessIndex process = 0;
};

void FillLaunchGaps(const analysis::TraceAnalysis& analysis, const std::vector<reader::ProcessInfo>& processes,
                    std::vector<DecodeWindow> decode, v1::Report& report);

}  // namespace slowtoken::report
