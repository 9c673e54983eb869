// Causes in the report: the model's Finding made from a record::CauseFinding, as JSON, and as one sentence for people.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <string>

#include "record/causes.h"
#include "report/json_parts.h"

namespace slowtoken::report {

v1::Finding ToFinding(const record::CauseFinding& finding);

// Frozen names; a number this version does not know is "unknown" ("none").
const char* CauseText(const v1::Finding& finding);
const char* EvidenceText(const v1::Finding& finding);
const char* ConfidenceText(const v1::Finding& finding);

// A list with one element, or none where no evidence was found: kind, how long, from when to when, and what else that
// kind of evidence says (record/causes.h).
Json EvidenceJson(const v1::Finding& finding);

// "the scheduling thread (4711) could run and had no CPU for 31 ms"; empty where there is no evidence.
std::string EvidenceSentence(const v1::Finding& finding);

// What the judgement of a stall or a slow first token rests on beside the finding.
struct Judged {
  uint64_t took_ns = 0;    // the gap, or the TTFT
  uint64_t excess_ns = 0;  // of its phase of largest excess
  bool few_samples = false;
  bool host_phase = false;     // in that phase a thread should have acted
  bool thread_states = false;  // were recorded
};

Judged JudgedOf(const v1::Report& report, const v1::Stall& stall);
Judged JudgedOf(const v1::Report& report, const v1::Gap& stall);
Judged JudgedOf(const v1::Report& report, const v1::RequestReport& slow);

// Why a finding is not sure, or why there is none, in a few words; empty of one that is sure.
std::string DoubtText(const v1::Finding& finding, const Judged& judged);

// The cause with its evidence and what is wrong with it: "host_paused: thread … (not sure: it covers 62.0 % of …)".
std::string FindingText(const v1::Finding& finding, const Judged& judged);

}  // namespace slowtoken::report
