// What was found out about a slow token, or that it is not slow, in lines without indentation: what `why` says first,
// and the page's waterfall of a request. Pure.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <string>
#include <vector>

#include "report/excess_text.h"
#include "report/findings.h"

namespace slowtoken::report {

// "schedule took 34.0 ms, 33.0 ms longer than usual", "cause: …", and where there is any advice "try: …".
std::vector<std::string> JudgementLines(const v1::Finding& finding, const Judged& judged, const ExcessPhase& phase);

// Of a first token, and of a gap, that is not slow: what it is not above.
std::string FirstTokenNotSlow(const v1::ServiceLevels& levels);
std::string GapNoStall(const v1::ServiceLevels& levels);

}  // namespace slowtoken::report
