// The report as JSON, "slowtoken.report.v1": names are a contract, fields may be added, never renamed. Every number is
// a JSON number; what cannot be told is null, in phase maps it is left out. One request or iteration a line, written as
// it goes: memory does not grow with their number. All texts are valid UTF-8.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <ostream>
#include <string>

#include "report/options.h"

namespace slowtoken::report {

void WriteJson(const v1::Report& report, const Options& options, std::ostream& out);

// "0123456789abcdef", or the clear id where it was recorded.
std::string RequestName(uint64_t req, const std::string& clear);

// How a request ended: req.finish's reason; kEndedText where `req` ended without one; else "unfinished".
inline constexpr const char* kEndedText = "ended";
const char* FinishText(const v1::RequestReport& request);

}  // namespace slowtoken::report
