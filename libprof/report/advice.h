// What to try against a cause: one line for each, for people. Pure.
#pragma once

#include "record/causes.h"

namespace slowtoken::report {

// Empty for causes that nothing general can be said about. Where the kind of evidence makes a difference, it does.
const char* AdviceFor(record::Cause cause, record::EvidenceKind evidence);

}  // namespace slowtoken::report
