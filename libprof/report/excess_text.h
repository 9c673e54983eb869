// What makes a gap a stall, or a first token slow, in a sentence that never says "longer than usual" of what was not.
// Used by the texts of `report --request` and `why`. Pure.
#pragma once

#include <string>

#include "record/phases.h"
#include "report/findings.h"

namespace slowtoken::report {

// The phase of largest excess, and what it is to be held against.
struct ExcessPhase {
  const char* name = "";
  uint64_t ns = 0;
  uint64_t run_median_ns = 0;  // of that phase, over the whole run
  uint64_t level_ns = 0;       // the service level; 0: none
};

// "schedule took 34.0 ms, 33.0 ms longer than usual".
std::string ExcessSentence(const Judged& judged, const ExcessPhase& phase);

// The phase of a stall, whose phases the report keeps only as a gap, and of a slow first token.
ExcessPhase ExcessPhaseOf(const v1::Report& report, const v1::Gap& stall);
ExcessPhase ExcessPhaseOf(const v1::Report& report, const v1::Stall& stall, const record::GapPhases& phases);
ExcessPhase ExcessPhaseOf(const v1::Report& report, const v1::RequestReport& slow);

}  // namespace slowtoken::report
