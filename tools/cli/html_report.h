// The HTML report of `slowtoken report`: reads the traces once more, now that it is known which tokens were slow, for
// what happened around them, and writes the page. Called by that verb.
#pragma once

#include <absl/status/status.h>
#include <slowtoken/v1/report.pb.h>

#include <ostream>

#include "report/html/page_events.h"
#include "service_levels.h"
#include "trace_pass.h"

namespace slowtoken::cli {

// `report` and `events` are of a pass over the same `input` that is over.
absl::Status WriteHtmlReport(TracePass::Input input, const ServiceLevels& levels, const v1::Report& report,
                             report::html::PageEvents& events, std::ostream& out);

}  // namespace slowtoken::cli
