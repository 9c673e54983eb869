// SummaryLog: a visitor that keeps what an engine concludes.
#pragma once

#include <vector>

#include "record/visitor.h"

namespace slowtoken::attribution::testing {

struct LoggedIteration {
  record::IterationSummary summary;
  std::vector<record::BatchRow> rows;
};

struct LoggedHistogram {
  record::HistogramSnapshot snapshot;
  std::vector<record::HistogramBucket> buckets;
};

class SummaryLog final : public record::EventVisitor {
 public:
  using EventVisitor::On;
  void On(const record::RequestSummary& summary) override { requests.push_back(summary); }
  void On(const record::GapSummary& summary) override { gaps.push_back(summary); }
  void On(const record::IterationSummary& summary) override {
    iterations.push_back({summary, {summary.rows.begin(), summary.rows.end()}});
  }
  void On(const record::HistogramSnapshot& snapshot) override {
    histograms.push_back({snapshot, {snapshot.buckets.begin(), snapshot.buckets.end()}});
  }

  std::vector<record::GapSummary> GapsOf(record::RequestId req) const {
    std::vector<record::GapSummary> found;
    for (const record::GapSummary& gap : gaps) {
      if (gap.req == req) found.push_back(gap);
    }
    return found;
  }
  const record::RequestSummary* Find(record::RequestId req) const {
    for (const record::RequestSummary& request : requests) {
      if (request.req == req) return &request;
    }
    return nullptr;
  }
  const LoggedIteration* FindIteration(uint64_t iter) const {
    for (const LoggedIteration& iteration : iterations) {
      if (iteration.summary.key.iter == iter) return &iteration;
    }
    return nullptr;
  }

  std::vector<record::RequestSummary> requests;
  std::vector<record::GapSummary> gaps;
  std::vector<LoggedIteration> iterations;
  std::vector<LoggedHistogram> histograms;
};

}  // namespace slowtoken::attribution::testing
