// GapBins: the gaps of a run over time, in at most kMostBins bins, as a page can draw millions of them: how many ended
// in each, their median, 99th percentile and longest. Single threaded; 16 bytes a gap until they are binned.
#pragma once

#include <vector>

#include "record/summaries.h"
#include "report/json_parts.h"

namespace slowtoken::report::html {

class GapBins {
 public:
  static constexpr size_t kMostBins = 600;

  void Add(const record::GapSummary& gap) { points_.push_back({gap.start + gap.gap_ns, gap.gap_ns}); }

  // {"start_ns", "bin_ns", "count": […], "p50_ns": […], "p99_ns": […], "max_ns": […]}, instants from `origin`. A bin
  // without gaps has count 0 and null; no gaps at all: no bins.
  Json ToJson(record::TimeNs origin);

 private:
  struct Point {
    record::TimeNs end = 0;
    uint64_t gap_ns = 0;
  };
  std::vector<Point> points_;
};

}  // namespace slowtoken::report::html
