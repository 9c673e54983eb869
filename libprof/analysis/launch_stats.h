// LaunchStats: launch gap accounting (docs/ATTRIBUTION.md §6) over joined launches: API time, launch delay (kernel
// start minus API end, where positive), total (API start to last kernel end), and how many launches have GPU work. Fed
// by LaunchTable's sink, once a launch. Single threaded, about 10 ns a launch.
#pragma once

#include <cstdint>

#include "analysis/launch_table.h"
#include "analysis/log_histogram.h"

namespace slowtoken::analysis {

class LaunchStats {
 public:
  void Add(const Launch& launch);

  uint64_t launches() const { return launches_; }  // successful kernel and graph launches outside capture
  uint64_t graph_launches() const { return graph_launches_; }
  uint64_t captured() const { return captured_; }
  uint64_t failed() const { return failed_; }
  uint64_t matched() const { return matched_; }            // launches with at least one GPU record
  uint64_t without_call() const { return without_call_; }  // GPU records whose API record was not seen
  uint64_t delayed() const { return delay_.count(); }
  uint64_t early() const { return early_; }  // GPU work that began before its API call returned: no delay

  const LogHistogram& api() const { return api_; }
  const LogHistogram& delay() const { return delay_; }
  const LogHistogram& total() const { return total_; }

 private:
  uint64_t launches_ = 0, graph_launches_ = 0, captured_ = 0, failed_ = 0, matched_ = 0, without_call_ = 0, early_ = 0;
  LogHistogram api_, delay_, total_;
};

}  // namespace slowtoken::analysis
