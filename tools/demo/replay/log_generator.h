// Draws a request log with the statistics of a published one, for machines that do not have the log itself: the Azure
// LLM inference trace 2023, code (Microsoft, CC-BY-4.0; 8,819 requests in 57 minutes). Prompt lengths, answer lengths
// and the times between arrivals are drawn independently from that trace's quantiles; in the trace, the logarithms of
// prompt and answer correlate by less than 0.01, and those of successive times between arrivals by 0.1.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/request_log.h"

namespace slowtoken::demo {

// The same seed gives the same log.
std::vector<LoggedRequest> GenerateRequestLog(int64_t count, uint64_t seed);

}  // namespace slowtoken::demo
