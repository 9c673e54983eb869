// PhaseThreadVisitor: for every CPU phase of each first token and gap, how the thread whose turn it was spent it
// (docs/ATTRIBUTION.md §3): on a CPU, without one, blocked. Called by Engine's thread right after the phases were made,
// of the basis (commits or sends) that counts by then; offline only, so the worker pays a test against nullptr. Without
// a virtual destructor on purpose (record/visitor.h).
#pragma once

#include "attribution/thread_activity.h"

namespace slowtoken::attribution {

struct PhaseThread {
  record::RequestId req = 0;
  uint32_t n = 0;       // of a gap: its last token; 0: the first token
  size_t phase = 0;     // record::GapPhase; of the first token record::TtftPhase
  uint64_t thread = 0;  // ThreadKey
  uint64_t ns = 0;      // how long the phase was
  ThreadActivity::Answer states;

  // `states` as parts of `ns`; where they are not known all are 0. A wait for a CPU after a sleep is blocked_ns where
  // every switch is known: phases are short, and such a wait has no place in its sample.
  uint64_t ran_ns() const { return states.known ? ns - off_ns() : 0; }
  uint64_t waited_ns() const { return states.known ? std::min(sure_ns(), off_ns()) : 0; }
  uint64_t blocked_ns() const { return states.known ? off_ns() - waited_ns() : 0; }

 private:
  uint64_t sure_ns() const { return states.exact ? states.preempted_ns : states.waited_ns; }
  uint64_t off_ns() const { return std::min(states.off_ns, ns); }
};

class PhaseThreadVisitor {
 public:
  virtual void On(const PhaseThread& spent) = 0;

 protected:
  ~PhaseThreadVisitor() = default;
};

}  // namespace slowtoken::attribution
