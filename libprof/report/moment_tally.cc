#include "report/moment_tally.h"

#include <algorithm>

#include "report/findings.h"

namespace slowtoken::report {

MomentTally::MomentTally(const v1::Report& report) {
  for (const v1::StallMoment& moment : report.stall_moments()) Add(moment, report);
  std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
    if (a.few_samples != b.few_samples) return b.few_samples;
    return a.lost_ns != b.lost_ns ? a.lost_ns > b.lost_ns : std::string_view(a.cause) < std::string_view(b.cause);
  });
  const auto is_first = [&](const v1::StallMoment* moment) {
    return report.stalls(static_cast<int>(moment->worst())).few_samples();
  };
  if (lost_ns_ != 0) std::erase_if(worst_, is_first);
  std::stable_sort(worst_.begin(), worst_.end(),
                   [](const auto* a, const auto* b) { return a->lost_ns() > b->lost_ns(); });
}

const v1::Stall& MomentTally::Foremost(const v1::Report& report) const {
  const auto of_costliest = std::find_if(worst_.begin(), worst_.end(), [&](const v1::StallMoment* moment) {
    return std::string_view(rows_[0].cause) == CauseText(report.stalls(static_cast<int>(moment->worst())).finding());
  });
  return report.stalls(static_cast<int>((of_costliest == worst_.end() ? worst_[0] : *of_costliest)->worst()));
}

void MomentTally::Add(const v1::StallMoment& moment, const v1::Report& report) {
  const v1::Stall& worst = report.stalls(static_cast<int>(moment.worst()));
  const std::string_view cause = CauseText(worst.finding());
  auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& known) {
    return known.cause == cause && known.few_samples == worst.few_samples();
  });
  if (row == rows_.end())
    row = rows_.insert(row, {.cause = CauseText(worst.finding()), .few_samples = worst.few_samples()});
  const auto gaps = static_cast<uint64_t>(moment.stalls_size());
  ++row->moments;
  row->gaps += gaps;
  row->sure += moment.sure();
  row->lost_ns += moment.lost_ns();
  for (const uint32_t stall : moment.stalls()) row->requests.insert(report.stalls(static_cast<int>(stall)).req());
  (worst.few_samples() ? first_gaps_ : lost_ns_) += worst.few_samples() ? gaps : moment.lost_ns();
  worst_.push_back(&moment);
}

}  // namespace slowtoken::report
