// BatchBins: who was in the iterations over time, in at most kMostBins bins: means over the iterations that began in
// each. Dummy iterations are left out. Single threaded; 40 bytes an iteration until they are binned.
#pragma once

#include <vector>

#include "record/summaries.h"
#include "report/json_parts.h"

namespace slowtoken::report::html {

class BatchBins {
 public:
  static constexpr size_t kMostBins = 600;

  void Add(const record::IterationSummary& iteration);

  // {"start_ns", "bin_ns", "iterations": […], "batch_unknown", "decode": […], "prefill": […], "prefill_tok": […],
  // "waiting": […], "kv_share": […], "dur_ns": […]}. Null where no iteration of a bin tells.
  Json ToJson(record::TimeNs origin);

 private:
  struct Point {
    record::TimeNs start = 0;
    uint64_t dur_ns = 0;
    uint32_t decode = 0, prefill = 0, prefill_tok = 0, waiting = 0;
    float kv_share = 0;
    bool batch_known = false, waiting_known = false, kv_known = false;
  };
  std::vector<Point> points_;
};

}  // namespace slowtoken::report::html
