#include "report/waiters.h"

#include <algorithm>

namespace slowtoken::report {
namespace {

template <typename Keep>
std::vector<Waiters::Waiter> LongestWaiters(
    const std::map<std::pair<record::RequestId, uint32_t>, Waiters::Waiter>& all, Keep keep) {
  std::vector<Waiters::Waiter> kept;
  for (const auto& [key, waiter] : all) {
    if (keep(waiter)) kept.push_back(waiter);
  }
  std::stable_sort(kept.begin(), kept.end(),
                   [](const auto& a, const auto& b) { return a.evidence_ns > b.evidence_ns; });
  return kept;
}

}  // namespace

void Waiters::On(const record::RequestSummary& summary) {
  if (named_ == 0 || !summary.is_slow || summary.finding.req != named_ || summary.req == named_) return;
  waiters_[{summary.req, 1}] = {summary.req,          1, summary.arrival, summary.ttft_ns, summary.finding.evidence_ns,
                                summary.finding.cause};
}

void Waiters::On(const record::GapSummary& gap) {
  if (named_ == 0 || !gap.is_stall || gap.finding.req != named_ || gap.req == named_) return;
  waiters_[{gap.req, gap.n}] = {gap.req, gap.n, gap.start, gap.gap_ns, gap.finding.evidence_ns, gap.finding.cause};
}

std::vector<Waiters::Waiter> Waiters::FirstTokens() const {
  return LongestWaiters(waiters_, [](const Waiter& waiter) { return waiter.n == 1; });
}

std::vector<Waiters::Waiter> Waiters::Stalls() const {
  return LongestWaiters(waiters_, [](const Waiter& waiter) { return waiter.n != 1; });
}

}  // namespace slowtoken::report
