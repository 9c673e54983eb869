// StallCauses: why a gap is a stall (docs/ATTRIBUTION.md §5). Asked by EmissionPass for each stall, right after its
// phases were made; single threaded.
#pragma once

#include "attribution/evidence.h"
#include "attribution/gap_phases.h"
#include "attribution/phase_thread_visitor.h"

namespace slowtoken::attribution {

class StallCauses {
 public:
  StallCauses(const EvidenceFinder& evidence, GapPhases& phases) : evidence_(evidence), phases_(phases) {}

  // Fills in gap->finding. `inputs` are those the gap's phases were just made of.
  void Judge(const GapInputs& inputs, record::GapSummary* gap);

  // How the CPU phases of the gap that was just made were spent.
  void TellThreads(const GapInputs& inputs, const record::GapSummary& gap, PhaseThreadVisitor& out) const;

 private:
  bool Find(const CauseCase& c, record::GapPhase phase, record::CauseFinding* finding) const;

  const EvidenceFinder& evidence_;
  GapPhases& phases_;
};

}  // namespace slowtoken::attribution
