// The report as one HTML page that needs nothing else: the data, the drawing and the charting library are in it. Every
// number is taken from the report that WriteJson writes; what is binned or cut says so in the page.
// Called by `slowtoken report`. Bounded: a page of 10,000 requests is about 5 MB, whatever the trace held.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <ostream>

#include "report/html/page_events.h"
#include "report/html/request_waterfalls.h"
#include "report/html/slow_tokens.h"
#include "report/html/timelines.h"

namespace slowtoken::report::html {

// Whether the charting library was there when this was built. Without it there is no page.
bool IsAvailable();

// What the page shows, as JSON: html/page/*.js reads it.
Json PageData(const v1::Report& report, PageEvents& events, const SlowTokens& slow, Timelines& timelines,
              const RequestWaterfalls& waterfalls);

void WritePage(const Json& data, std::ostream& out);

}  // namespace slowtoken::report::html
