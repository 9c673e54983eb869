// The sections of the JSON report as values, for whoever writes the same numbers into another frame (html/). Pure.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include "report/json_parts.h"

namespace slowtoken::report {

// The sections that are about the run as a whole and do not grow with it, by their names in the report.
Json WholeJson(const v1::Report& report);

// The elements of the lists of the same names.
Json StallJson(const v1::Stall& stall);
Json StallMomentJson(const v1::StallMoment& moment, const v1::Report& report);
Json TriggerJson(const v1::TriggerReport& trigger);
Json DetailJson(const v1::DetailSpan& span);
Json DeviceJson(const v1::Device& device);
Json KernelJson(const v1::KernelReport& kernel);
Json KernelCategoryJson(const v1::KernelCategory& category);

Json IterationsJson(const v1::Iterations& iterations);  // without the list

}  // namespace slowtoken::report
