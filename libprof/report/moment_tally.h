// MomentTally: how often each cause of stalls came, in moments and in gaps, and what it cost. Used by the text report.
// Single threaded; the report must outlive it.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <set>
#include <string_view>
#include <vector>

namespace slowtoken::report {

class MomentTally {
 public:
  // One cause; the stalls among the first gaps of a run (few_samples) stand apart.
  struct Row {
    const char* cause = "";
    bool few_samples = false;
    uint64_t moments = 0, gaps = 0, sure = 0;
    uint64_t lost_ns = 0;
    std::set<uint64_t> requests = {};
  };

  explicit MomentTally(const v1::Report& report);

  const std::vector<Row>& Rows() const { return rows_; }  // the costliest first, first gaps last
  // Those in which most time was lost, over all their gaps; without first gaps if there are others.
  const std::vector<const v1::StallMoment*>& Worst() const { return worst_; }
  // The worst stall of the worst moment of the costliest cause. There are stalls.
  const v1::Stall& Foremost(const v1::Report& report) const;
  uint64_t first_gaps() const { return first_gaps_; }
  uint64_t lost_ns() const { return lost_ns_; }  // without the first gaps

 private:
  void Add(const v1::StallMoment& moment, const v1::Report& report);

  std::vector<Row> rows_;  // few: one a cause
  std::vector<const v1::StallMoment*> worst_;
  uint64_t first_gaps_ = 0, lost_ns_ = 0;
};

}  // namespace slowtoken::report
