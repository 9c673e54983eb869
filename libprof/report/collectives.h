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

// "worker 4002"; with the device where its process has several.
std::string RankName(const v1::Rank& rank, const v1::Report& report);

// What the text and the page say of them, in whole sentences without a point: how much was waiting and for whom, then
// what that does not hold. Empty where no two ranks have any.
std::vector<std::string> CollectivesSentences(const v1::Report& report);

// Empty where no two ranks have any.
std::string CollectivesText(const v1::Report& report);

}  // namespace slowtoken::report
