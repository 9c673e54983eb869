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

// "thread 4711 waited 31 ms for a CPU"; empty where there is no evidence.
std::string EvidenceSentence(const v1::Finding& finding);

}  // namespace slowtoken::report
