// FirstTokenCauses: why a first token is slow (docs/ATTRIBUTION.md §5). In two parts, as TtftPhases: JudgeTail looks
// for evidence while the iterations are at hand, for the phase that then stands out; Finish, at the end of the request,
// decides whether the first token is slow and whether that evidence explains it. Single threaded.
#pragma once

#include "attribution/evidence.h"
#include "attribution/first_token_rule.h"
#include "attribution/phase_thread_visitor.h"
#include "attribution/ttft_phases.h"

namespace slowtoken::attribution {

class FirstTokenCauses {
 public:
  struct Parts {
    const EvidenceFinder& evidence;
    const FirstTokenRule& rule;
    const HostWork& host_work;
    const BatchTracker& batches;
    const RequestTable& requests;
    TtftPhases& phases;
  };
  explicit FirstTokenCauses(const Parts& parts) : parts_(parts) {}

  // Fills in `judged`, `finding` and `handoff` of the tail that was just made of `inputs`.
  void JudgeTail(const TtftInputs& inputs, TtftTail* tail);

  // How the CPU phases were spent, of what JudgeTail was just asked about.
  void TellThreads(const TtftInputs& inputs, PhaseThreadVisitor& out) const;

  // Judges the summary, whose phases are final, and fills in its finding.
  void Finish(const TtftTail& tail, record::RequestSummary* request) const;

 private:
  bool Find(const CauseCase& c, record::TtftPhase phase, record::CauseFinding* finding) const;
  bool FindHostCause(const CauseCase& c, record::CauseFinding* finding) const;
  bool FindPrefillCause(const CauseCase& c, record::CauseFinding* finding) const;
  HostWorkItem OwnTokenising(record::RequestId req, TimeNs from, TimeNs to) const;
  void FindBusyTokenizer(record::RequestId req, TimeNs from, TimeNs to, record::CauseFinding* finding) const;
  uint64_t ThreadFor(const TtftInputs& inputs, record::TtftPhase phase) const;
  TimeNs EarliestEvent(const Request& request, TimeNs before) const;
  static bool FindQueueReason(const record::RequestSummary& request, record::CauseFinding* finding);

  Parts parts_;
};

}  // namespace slowtoken::attribution
