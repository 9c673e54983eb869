// The section about collectives: how long ranks waited in them, and for which rank. Filled once, after the replay;
// pure functions of the report otherwise.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <string>
#include <vector>

#include "analysis/collectives.h"
#include "reader/process_info.h"
#include "report/json_parts.h"

namespace slowtoken::report {

void FillCollectives(const analysis::Collectives& collectives, const std::vector<reader::ProcessInfo>& processes,
                     v1::Report& report);

Json CollectivesJson(const v1::Report& report);  // null where no two ranks have any
Json RankJson(const v1::Rank& rank);

// Empty where no two ranks have any.
std::string CollectivesText(const v1::Report& report);

}  // namespace slowtoken::report
