// By which levels the stalls and slow first tokens of a report were judged, and who asked for them, in words: the same
// in the text and on the page. Pure.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <string>

namespace slowtoken::report {

// What follows "judged by": "SLO ttft 500 ms, itl 100 ms (--slo)".
std::string LevelWords(const v1::ServiceLevels& levels);

}  // namespace slowtoken::report
