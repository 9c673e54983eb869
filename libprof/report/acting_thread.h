// How the thread whose turn it was spent the phase of largest excess of a stall or a slow first token
// (record::CauseFinding, acting_ members): for the JSON report, and as a line for people. Pure.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <string>

#include "report/json_parts.h"

namespace slowtoken::report {

// null where it is nobody's turn, or the thread's states are not known.
Json ActingThreadJson(const v1::Finding& finding);

// "during submit the scheduling thread (4711) was on a CPU for 1.20 ms, waited for one for up to 30.1 ms, was blocked
// for 0 and moved to another CPU 2 times"; empty where nothing is known.
std::string ActingThreadText(const v1::Finding& finding, const char* phase);

}  // namespace slowtoken::report
