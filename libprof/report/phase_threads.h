// How threads spent the CPU phases of first tokens and gaps (docs/METRICS.md, "CPU phases"): into the report's model,
// as JSON, and as a table. Pure.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <span>
#include <string>

#include "analysis/phase_thread_sums.h"
#include "report/json_parts.h"

namespace slowtoken::report {

using PhaseThreadsList = google::protobuf::RepeatedPtrField<v1::PhaseThreads>;

// Phases that nobody spent are left out.
void FillPhaseThreads(const analysis::PhaseThreadSums& sums, size_t phases, PhaseThreadsList& out);

// By the name of the phase.
Json PhaseThreadsJson(const PhaseThreadsList& threads, std::span<const char* const> names);

// A table of means over those of which it is known; empty where nothing is.
std::string PhaseThreadsText(const PhaseThreadsList& threads, std::span<const char* const> names,
                             std::span<const size_t> time_order);

}  // namespace slowtoken::report
