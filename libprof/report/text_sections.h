// The sections of the text report, each a block of lines, empty where there is nothing to say. Used by text.cc.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <string>

#include "report/options.h"
#include "report/text.h"

namespace slowtoken::report {

// text_short.cc
std::string InShortText(const v1::Report& report, const Options& options, const TextStyle& style);

// text_requests.cc
std::string TtftText(const v1::Report& report);
std::string ItlText(const v1::Report& report);
std::string DefinitionText(const v1::Report& report);
std::string SlowestText(const v1::Report& report);
std::string OneRequestText(const v1::Report& report);

// text_causes.cc
std::string SlowFirstText(const v1::Report& report, const TextStyle& style);
std::string StallsText(const v1::Report& report, const TextStyle& style);

// text_machine.cc
std::string IterationsText(const v1::Report& report, const Options& options);
std::string LaunchText(const v1::Report& report);
std::string DevicesText(const v1::Report& report, const TextStyle& style);
std::string KernelsText(const v1::Report& report);
std::string OwnCostText(const v1::Report& report);

// text_gaps.cc
std::string GapFindingsText(const v1::Report& report, const TextStyle& style);
std::string LaunchGapsText(const v1::Report& report);

// text_graphs.cc
std::string GraphsText(const v1::Report& report);

// text_conditions.cc
std::string ConditionsText(const v1::Report& report, const TextStyle& style);

// Breaks at spaces; what follows the first line is indented under the text.
std::string Wrap(const std::string& line, size_t indent, const TextStyle& style);

// "mean 1 ms · p50 …" pieces for one line.
std::string SpreadText(const v1::Distribution& distribution);

}  // namespace slowtoken::report
