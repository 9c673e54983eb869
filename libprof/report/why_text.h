// One slow token or first token explained: what took how long, why, in which iterations, what ran on the GPU, what the
// threads did; of a request without a first token what it did, and who waited for it. Used by `slowtoken why`. Pure.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <string>

#include "report/moment.h"
#include "report/waiters.h"

namespace slowtoken::report {

// Which part of the request is to be explained: the first token, or the gap whose last token is `n`.
struct Question {
  bool first_token = false;
  uint32_t n = 0;
};

// The part that deserves it most: a slow first token, else the stall of largest excess, else the longest gap, else the
// first token.
Question WorstOf(const v1::RequestReport& request);

// The gap that carries token `n`; nullptr if there is none.
const v1::Gap* GapOf(const v1::RequestReport& request, uint32_t n);

// Start and end of the part, from the report's origin; of a first token that never came those of the request.
struct Part {
  uint64_t start_ns = 0, end_ns = 0;
};
Part PartOf(const v1::RequestReport& request, const Question& question);

struct WhyOptions {
  bool all = false;                             // every row of every table
  std::string command = "slowtoken why TRACE";  // that explains a request of these traces, up to the request
};

// `moment`: of the part that is asked for, whose request is the report's only one.
std::string WhyText(const v1::Report& report, const Question& question, const Moment& moment, const Waiters& waiters,
                    const WhyOptions& options = {});

}  // namespace slowtoken::report
