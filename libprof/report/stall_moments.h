// StallMoments: stalls that are one and the same event. A pause of the engine hits every request that decodes; the gaps
// of one process with one cause that stood still at one common instant are one moment (docs/METRICS.md), unless threads
// of different processes held them up. Used by ReportBuilder. Pure; n log n in the number of stalls.
#pragma once

#include <slowtoken/v1/report.pb.h>

namespace slowtoken::report {

// Fills in report.stall_moments, by start, and the `moment` of each stall. The stalls are complete.
void FillStallMoments(v1::Report& report);

}  // namespace slowtoken::report
