// The phases of a wait one below the other: a waterfall. Phases are a partition and do not say when each of them was;
// they stand in the order in which they usually happen, each where the one before ends. Used by `why` and by the page.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace slowtoken::report {

struct PhaseStep {
  const char* phase = "";
  uint64_t start_ns = 0;  // from where the wait began
  uint64_t ns = 0;
};

// Those that took any time. The order of precedence turned around is the order of time; what is left comes last.
template <typename Phases, size_t N>
std::vector<PhaseStep> PhaseSteps(const Phases& phases, const char* const (&names)[N]) {
  std::vector<PhaseStep> steps;
  uint64_t before = 0;
  const auto add = [&](size_t i) {
    if (i >= static_cast<size_t>(phases.size())) return;
    const uint64_t ns = *(phases.begin() + static_cast<std::ptrdiff_t>(i));
    if (ns == 0) return;
    steps.push_back({names[i], before, ns});
    before += ns;
  };
  for (size_t i = N - 1; i-- > 0;) add(i);
  add(N - 1);
  return steps;
}

}  // namespace slowtoken::report
