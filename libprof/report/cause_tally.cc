#include "report/cause_tally.h"

#include <algorithm>

#include "record/causes.h"
#include "report/findings.h"

namespace slowtoken::report {

void CauseTally::Add(const v1::Finding& finding, uint64_t excess_ns) {
  const std::string_view cause = CauseText(finding);
  auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& known) { return known.cause == cause; });
  if (row == rows_.end()) row = rows_.insert(row, {.cause = CauseText(finding)});
  ++row->count;
  row->excess_ns += excess_ns;
  if (finding.confidence() == static_cast<uint32_t>(record::Confidence::kHigh)) ++row->sure;
}

std::vector<CauseTally::Row> CauseTally::Rows() const {
  std::vector<Row> rows = rows_;
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.excess_ns != b.excess_ns ? a.excess_ns > b.excess_ns
                                      : std::string_view(a.cause) < std::string_view(b.cause);
  });
  return rows;
}

}  // namespace slowtoken::report
