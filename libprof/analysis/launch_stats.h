// LaunchStats: launch gap accounting (docs/ATTRIBUTION.md §6) over joined launches: API time, launch delay (kernel
// start minus API end, where positive), total (API start to last kernel end), and how many launches have GPU work. Fed
// with each launch that attribution has joined (attribution/join_visitor.h), and with the calls that started nothing.
// Single threaded, about 10 ns a launch; 8 bytes for each call that was captured or failed.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstdint>

#include "analysis/log_histogram.h"
#include "attribution/launch_table.h"

namespace slowtoken::analysis {

class LaunchStats {
 public:
  void Add(const attribution::Launch& launch);

  // A call that builds a graph node, or failed: a launch that attribution is not told of. Others are left alone.
  void AddCall(const record::ApiCall& call);

  uint64_t launches() const { return launches_; }  // successful kernel and graph launches outside capture
  uint64_t graph_launches() const { return graph_launches_; }
  uint64_t captured() const { return captured_.size(); }
  uint64_t failed() const { return failed_.size(); }
  uint64_t matched() const { return matched_; }  // launches with at least one GPU record
  uint64_t delayed() const { return delay_.count(); }
  uint64_t early() const { return early_; }  // GPU work that began before its API call returned: no delay

  const LogHistogram& api() const { return api_; }
  const LogHistogram& delay() const { return delay_; }
  const LogHistogram& total() const { return total_; }

 private:
  // By LaunchId: a runtime call and the driver call inside it are one.
  absl::flat_hash_set<uint64_t> captured_, failed_;
  uint64_t launches_ = 0, graph_launches_ = 0, matched_ = 0, early_ = 0;
  LogHistogram api_, delay_, total_;
};

}  // namespace slowtoken::analysis
