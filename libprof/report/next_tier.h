// What would make the next report tell more: one line, for the engine that was recorded, with the page that explains
// it. Pure function of the coverage and of the packages that were found.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <string>

namespace slowtoken::report {

// Empty at the highest tier, and where nothing was recorded at all: then something else is wrong.
std::string NextTier(const v1::Coverage& coverage, const v1::Conditions& conditions);

}  // namespace slowtoken::report
