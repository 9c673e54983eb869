// EmissionPass: makes each emission of a request, once settled, into the tail of its TTFT or into a gap, and keeps the
// gaps packed until the request ends. Both bases (commits and sends) are followed; RequestPass decides which one
// counts. Run by Engine at each Advance, after iterations are sealed; single threaded.
#pragma once

#include "attribution/blind_intervals.h"
#include "attribution/first_token_causes.h"
#include "attribution/gap_phases.h"
#include "attribution/iteration_pass.h"
#include "attribution/metrics.h"
#include "attribution/stall_causes.h"
#include "attribution/stall_rule.h"
#include "attribution/ttft_phases.h"
#include "attribution/wait_watch.h"

namespace slowtoken::attribution {

class EmissionPass {
 public:
  struct Parts {
    RequestTable* requests = nullptr;
    IterationTable* iterations = nullptr;
    const IntervalPool* intervals = nullptr;
    const IterationPass* iteration_pass = nullptr;
    TtftPhases* ttft = nullptr;
    FirstTokenCauses* first_causes = nullptr;
    GapPhases* gaps = nullptr;
    StallCauses* causes = nullptr;
    const BlindIntervals* blind = nullptr;
    StallRule* rule = nullptr;
    WaitWatch* watch = nullptr;
    Metrics* metrics = nullptr;
    base::LossCounters* losses = nullptr;
    record::EventVisitor* out = nullptr;
  };
  bool Init(base::Arena& arena, const EngineConfig& config, const Parts& parts);

  // `threads` is told of the CPU phases of each first token and gap. Before the first event.
  void TellThreads(PhaseThreadVisitor& threads) { threads_ = &threads; }

  // Makes every emission that is settled at `watermark`, in order of instant, then of request.
  void Run(TimeNs watermark);

  // Whether tokens or sends wait to be made into emissions.
  static bool HasPending(const Request& request);

  // Tokens generated so far: committed or sent, whichever are more.
  static uint64_t TokensOf(const Request& request);

  // The basis that counts as far as can be seen: sends if all tokens seen were sent.
  static Basis Choose(const Request& request);

  // Sends out the gaps kept for `basis` and forgets all that are kept.
  void EmitKept(Request& request, Basis basis);

 private:
  static constexpr uint32_t kMostOwn = 8192;
  struct Candidate {
    TimeNs instant = 0;
    record::RequestId id = 0;
    PoolIndex request = 0;
    Basis basis = Basis::kCommit;
  };
  // One emission while it is being made.
  struct Emission {
    TimeNs instant = 0;
    TimeNs commit = 0;  // 0 = not known
    uint64_t n = 0, n_new = 0;
    bool has_iter = false;
    uint64_t iter = 0;
    bool partial = false;
  };
  void Collect(PoolIndex request, Basis basis, TimeNs watermark);
  PoolIndex NextRecord(const Request& request, Basis basis);
  // Makes the next emission; false if it must wait.
  bool MakeNext(Request& request, Basis basis, TimeNs watermark);
  void Number(TokenRecord& record, const EmissionState& state);
  bool Describe(Request& request, Basis basis, const TokenRecord& record, bool overdue, Emission* emission);
  // Finds the own iterations and the yielding one; false if it must wait.
  bool FindOwn(Request& request, Basis basis, const TokenRecord& record, bool overdue, Emission* emission,
               OwnWork* own);
  const OwnIteration* FindYield(const Request& request, Basis basis, const TokenRecord& record,
                                const Emission& emission);
  const Iteration* FindOutside(const Request& request, const Emission& emission);
  OwnWork Gather(const Request& request, const EmissionState& state, const OwnIteration* yield,
                 const Iteration* outside, Emission* emission);
  void MakeFirst(Request& request, Basis basis, const Emission& emission, const OwnWork& own);
  void MakeGap(Request& request, Basis basis, const Emission& emission, const OwnWork& own);
  // The basis that counts as far as can be seen by now.
  static Basis Live(const Request& request);
  void Keep(Request& request, Basis basis, const record::GapSummary& gap);
  void Move(EmissionState& state, const Emission& emission, const OwnWork& own);
  void DropDone(Request& request);

  Parts parts_;
  PhaseThreadVisitor* threads_ = nullptr;
  uint64_t settle_ns_ = 0, deadline_ns_ = 0;
  std::span<Candidate> candidates_;
  size_t candidate_count_ = 0;
  std::span<OwnEntry> own_;
};

}  // namespace slowtoken::attribution
