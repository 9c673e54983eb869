// What of traces is not there: for verbs that answer "there is no such thing", or that write traces for other tools.
#pragma once

#include <string>

#include "reader/trace_set.h"

namespace slowtoken::cli {

// "the trace is incomplete: engine 4711: truncated at byte 200: …", one line; empty of whole traces. Known after they
// were replayed.
std::string IncompleteText(const reader::TraceSet& traces);

// The same behind "; ", for the end of a message.
std::string AndIncomplete(const reader::TraceSet& traces);

}  // namespace slowtoken::cli
