// The requests of a page as columns, one array a field: what a table of thousands of rows is drawn of. Pure.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include "report/html/page_events.h"
#include "report/json_parts.h"

namespace slowtoken::report::html {

inline constexpr size_t kMostRequestRows = 10'000;

// By arrival. Of more than kMostRequestRows: those with the slowest first tokens, the most stalls, the longest TTFT.
// Phases are arrays in the order of record::TtftPhase and record::GapPhase, null where one cannot be told.
Json RequestColumns(const v1::Report& report, const PageEvents& events);

}  // namespace slowtoken::report::html
