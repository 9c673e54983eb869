// Waiters: the slow first tokens and stalls whose evidence names one request: who waited for it. A visitor over what
// was concluded; `why` hands it to the first reading of a trace. Single threaded, offline. Memory: those it found.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "record/visitor.h"

namespace slowtoken::report {

class Waiters final : public record::EventVisitor {
 public:
  explicit Waiters(record::RequestId named) : named_(named) {}

  using EventVisitor::On;
  void On(const record::RequestSummary& summary) override;
  void On(const record::GapSummary& gap) override;

  struct Waiter {
    record::RequestId req = 0;
    uint32_t n = 0;            // the token; 1: the first
    record::TimeNs start = 0;  // the arrival, or the emission before
    uint64_t took_ns = 0;      // TTFT or gap
    uint64_t evidence_ns = 0;  // how much of it the evidence covers
    record::Cause cause = record::Cause::kUnknown;
  };
  std::vector<Waiter> FirstTokens() const;  // who waited longest first
  std::vector<Waiter> Stalls() const;

 private:
  record::RequestId named_;
  std::map<std::pair<record::RequestId, uint32_t>, Waiter> waiters_;
};

}  // namespace slowtoken::report
