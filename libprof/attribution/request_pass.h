// RequestPass: decides when a request is over and sends out its gaps and its RequestSummary. Run by Engine at each
// Advance, after EmissionPass; single threaded.
#pragma once

#include "attribution/emission_pass.h"

namespace slowtoken::attribution {

class RequestPass {
 public:
  struct Parts {
    RequestTable* requests = nullptr;
    const IterationPass* iteration_pass = nullptr;
    EmissionPass* emissions = nullptr;
    TtftPhases* ttft = nullptr;
    const FirstTokenCauses* first_causes = nullptr;
    FirstTokenRule* first_rule = nullptr;
    const BlindIntervals* blind = nullptr;
    Metrics* metrics = nullptr;
    record::EventVisitor* out = nullptr;
  };
  bool Init(base::Arena& arena, const EngineConfig& config, const Parts& parts);

  // Makes the summary of every request that is over at `watermark` (kForever: of all), by end, then by request.
  void Run(TimeNs watermark);

 private:
  enum class State : uint8_t { kOpen, kOver, kGivenUp };
  struct Ready {
    TimeNs end = 0;
    record::RequestId id = 0;
    PoolIndex request = 0;
    bool given_up = false;
  };
  // When the request ended, as far as it can be told; 0 = not yet.
  TimeNs EndOf(const Request& request) const;
  State StateAt(const Request& request, TimeNs watermark) const;
  void Emit(Request& request, bool given_up);
  uint16_t FlagsOf(const Request& request, Basis basis, bool given_up) const;
  bool OverlapsBlind(const record::RequestSummary& summary) const;

  Parts parts_;
  uint64_t settle_ns_ = 0, deadline_ns_ = 0, idle_ns_ = 0;
  std::span<Ready> ready_;
};

}  // namespace slowtoken::attribution
