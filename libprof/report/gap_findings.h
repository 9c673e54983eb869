// What the launch gaps mean, in words with the numbers behind them: decode that waits for the host, kernels too small
// to be launched one by one, copies that keep kernels waiting. Pure: from the report's own numbers. Thresholds:
// docs/METRICS.md.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <string>

namespace slowtoken::report {

void FillGapFindings(v1::Report& report);

// "thread engine (4711) in iter.forward".
std::string PlaceText(const v1::LaunchPlace& place);

}  // namespace slowtoken::report
