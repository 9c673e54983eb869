// Which phases of a sample can be told from what was recorded (docs/ATTRIBUTION.md: what cannot be told is absent,
// never 0). A phase with a value is always told, so that what is listed adds up to the whole. Pure functions.
#pragma once

#include <cstdint>

#include "record/phases.h"
#include "record/summaries.h"

namespace slowtoken::report {

inline uint32_t Bit(record::TtftPhase phase) { return 1u << static_cast<unsigned>(phase); }
inline uint32_t Bit(record::GapPhase phase) { return 1u << static_cast<unsigned>(phase); }

template <typename Phases>
uint32_t WithValues(uint32_t told, const Phases& phases) {
  for (unsigned i = 0; i < phases.size(); ++i) {
    if (phases[i] != 0) told |= 1u << i;
  }
  return told;
}

inline uint32_t ToldPhases(const record::TtftPhases& phases, uint16_t flags) {
  uint32_t told = (1u << record::kTtftPhaseCount) - 1;
  if ((flags & record::kSawGpu) == 0) told &= ~Bit(record::TtftPhase::kBacklog);
  return WithValues(told, phases);
}

inline uint32_t ToldPhases(const record::GapPhases& phases, uint16_t flags, bool graph_launch_level) {
  using record::GapPhase;
  uint32_t told = (1u << record::kGapPhaseCount) - 1;
  if ((flags & record::kSawGpu) == 0) {
    told &= ~(Bit(GapPhase::kCollective) | Bit(GapPhase::kGpuIdle) | Bit(GapPhase::kPrefillInterference) |
              Bit(GapPhase::kBacklog));
  } else if (graph_launch_level) {
    told &= ~Bit(GapPhase::kCollective);
  }
  return WithValues(told, phases);
}

}  // namespace slowtoken::report
