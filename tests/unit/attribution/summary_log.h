// SummaryLog: a visitor that keeps what an engine concludes.
#pragma once

#include <optional>
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

  void On(const record::CounterSnapshot& snapshot) override { counters.push_back(snapshot); }

  // The newest value of a counter; nullopt where it was not told.
  std::optional<uint64_t> Count(record::Counter counter, uint32_t label = 0, uint32_t detail = 0) const {
    std::optional<uint64_t> value;
    for (const record::CounterSnapshot& c : counters) {
      if (c.counter == counter && c.label == label && c.detail == detail) value = c.value;
    }
    return value;
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
  std::vector<record::CounterSnapshot> counters;
};

}  // namespace slowtoken::attribution::testing
