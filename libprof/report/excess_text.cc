#include "report/excess_text.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "report/units.h"

namespace slowtoken::report {
namespace {

// Where nothing took longer than its running median, the engine takes the longest phase, and as its excess how far the
// whole is above the level (attribution/stall_rule.cc).
bool IsAgainstLevel(const Judged& judged, const ExcessPhase& phase) {
  return phase.level_ns != 0 && judged.took_ns > phase.level_ns &&
         judged.excess_ns == std::min(phase.ns, judged.took_ns - phase.level_ns);
}

template <size_t N, typename Phases>
ExcessPhase PhaseOf(uint32_t index, const Phases& ns,
                    const google::protobuf::RepeatedPtrField<v1::Distribution>& over_run, uint64_t level_ns,
                    const char* const (&names)[N]) {
  const int i = static_cast<int>(index % N);
  return {.name = names[i],
          .ns = i < static_cast<int>(ns.size()) ? *(ns.begin() + i) : 0,
          .run_median_ns = i < over_run.size() ? over_run[i].p50_ns() : 0,
          .level_ns = level_ns};
}

}  // namespace

std::string ExcessSentence(const Judged& judged, const ExcessPhase& phase) {
  const std::string took = absl::StrCat(phase.name, " took ", Duration(phase.ns));
  const std::string median = Duration(phase.run_median_ns);
  if (judged.few_samples)
    return absl::StrCat(took, "; too few came before it to know what is usual (its median over the run is ", median,
                        ")");
  if (IsAgainstLevel(judged, phase)) {
    return absl::StrCat(Duration(judged.took_ns - phase.level_ns), " above the service level of ",
                        Duration(phase.level_ns), "; the largest part is ", phase.name, ", ", Duration(phase.ns),
                        " (its median over the run is ", median, ")");
  }
  if (phase.ns > phase.run_median_ns) return absl::StrCat(took, ", ", Duration(judged.excess_ns), " longer than usual");
  return absl::StrCat(took, "; its median was ", Duration(phase.ns - std::min(phase.ns, judged.excess_ns)),
                      " up to then and is ", median, " over the run");
}

ExcessPhase ExcessPhaseOf(const v1::Report& report, const v1::Gap& stall) {
  return PhaseOf(stall.largest_phase(), stall.phases_ns(), report.itl().phases(), report.levels().itl_ns(),
                 record::kGapPhaseNames);
}

ExcessPhase ExcessPhaseOf(const v1::Report& report, const v1::Stall& stall, const record::GapPhases& phases) {
  return PhaseOf(stall.largest_phase(), phases, report.itl().phases(), report.levels().itl_ns(),
                 record::kGapPhaseNames);
}

ExcessPhase ExcessPhaseOf(const v1::Report& report, const v1::RequestReport& slow) {
  return PhaseOf(slow.largest_phase(), slow.ttft_phases_ns(), report.ttft().phases(), report.levels().ttft_ns(),
                 record::kTtftPhaseNames);
}

}  // namespace slowtoken::report
