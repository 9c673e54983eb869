// The phases of a wait one below the other: a waterfall. Phases are a partition and do not say when each of them was;
// they stand in the order in which they usually happen, each where the one before ends. Used by `why` and by the page.
// Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace slowtoken::report {

struct PhaseStep {
  size_t index = ~size_t{0};  // record::TtftPhase or record::GapPhase; none: another part of the time
  const char* phase = "";
  uint64_t start_ns = 0;  // from where the wait began
  uint64_t ns = 0;
};

// Those that took any time.
template <typename Phases, size_t N>
std::vector<PhaseStep> PhaseSteps(const Phases& phases, const char* const (&names)[N],
                                  const std::array<size_t, N>& time_order) {
  std::vector<PhaseStep> steps;
  uint64_t before = 0;
  for (const size_t i : time_order) {
    if (i >= static_cast<size_t>(phases.size())) continue;
    const uint64_t ns = *(phases.begin() + static_cast<std::ptrdiff_t>(i));
    if (ns == 0) continue;
    steps.push_back({i, names[i], before, ns});
    before += ns;
  }
  return steps;
}

}  // namespace slowtoken::report
