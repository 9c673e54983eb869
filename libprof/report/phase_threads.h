// How threads spent the CPU phases of first tokens and gaps (docs/METRICS.md, "CPU phases"): into the report's model,
// as JSON, and as a table. Pure.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <array>
#include <string>

#include "analysis/phase_thread_sums.h"
#include "report/json_parts.h"
#include "report/table.h"

namespace slowtoken::report {

using PhaseThreadsList = google::protobuf::RepeatedPtrField<v1::PhaseThreads>;

// Phases that nobody spent are left out.
void FillPhaseThreads(const analysis::PhaseThreadSums& sums, size_t phases, PhaseThreadsList& out);

// By the name of the phase.
template <size_t N>
Json PhaseThreadsJson(const PhaseThreadsList& threads, const char* const (&names)[N]) {
  Json out = Json::object();
  for (const v1::PhaseThreads& one : threads) {
    out[names[one.phase() % N]] = {{"count", one.count()},           {"unknown", one.unknown()},
                                   {"ran_ns", one.ran_ns()},         {"waited_ns", one.waited_ns()},
                                   {"blocked_ns", one.blocked_ns()}, {"migrations", one.migrations()}};
  }
  return out;
}

// One row of the table below: the mean of those of which it is known.
void AddPhaseThreads(const v1::PhaseThreads& threads, const char* name, Table& table);
Table PhaseThreadsTable();

// Empty where nothing is known.
template <size_t N>
std::string PhaseThreadsText(const PhaseThreadsList& threads, const char* const (&names)[N],
                             const std::array<size_t, N>& time_order) {
  Table table = PhaseThreadsTable();
  for (const size_t phase : time_order) {
    for (const v1::PhaseThreads& one : threads) {
      if (one.phase() == phase && one.count() != 0) AddPhaseThreads(one, names[phase], table);
    }
  }
  return table.empty() ? "" : "\n" + table.Text();
}

}  // namespace slowtoken::report
