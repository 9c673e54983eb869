// LaunchTable: joins CUDA API calls with the GPU work they started, by (process, correlation id), while events stream
// by in any order. One ring of slots for each process, indexed by the low bits of the correlation id (CUPTI counts them
// up, so neighbours in time are neighbours in memory): a touch costs one array access, and a launch leaves the table
// when an id one ring length later arrives. What was touched since the last Advance stays, so that whoever asks at each
// Advance gets an answer for all that came since. The ring doubles for that, and while launches still wait for their
// other half, up to 2^20 ids (64 MiB) a process; later halves are counted as orphans. Ids wrap (bug log row 120 is why
// the process is in the key). Single threaded.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "analysis/interval.h"
#include "record/gpu_events.h"
#include "record/host_events.h"

namespace slowtoken::analysis {

// What is known of one API call and its GPU work. A runtime call and the driver call inside it share the id: one
// launch.
struct Launch {
  record::CorrelationId correlation = 0;  // 0 = the slot is free
  uint32_t graph_id = 0;
  uint32_t gpu_records = 0;  // kernels, graph nodes, copies, memsets
  bool is_launch = false;    // a kernel or graph launch (not a copy or memset)
  bool is_graph = false;
  bool captured = false;
  bool failed = false;
  TimeNs api_start = 0;  // 0 = no API record yet
  TimeNs api_end = 0;
  TimeNs gpu_start = 0;  // earliest; 0 = no GPU record with a time yet
  TimeNs gpu_end = 0;    // latest
  uint64_t touched = 0;  // how many Advances of its process came before the last touch
};

class LaunchTable {
 public:
  using Sink = std::function<void(record::ProcessIndex, const Launch&)>;

  // `sink` is called once for each launch, when it leaves the table or at Finish().
  explicit LaunchTable(Sink sink) : sink_(std::move(sink)) {}

  void AddCall(const record::ApiCall& call);
  // start and end may be unknown (0): the record still matches its launch.
  void AddGpuWork(record::ProcessIndex process, record::CorrelationId correlation, uint32_t graph_id, TimeNs start,
                  TimeNs end);

  // A chunk of the process is over: its launches may leave when their place is needed.
  void Advance(record::ProcessIndex process) {
    if (process < rings_.size()) ++rings_[process].advances;
  }

  // When the call behind GPU work returned; 0 if that is not known yet. Ask at the Advance after the work came (or
  // later, as long as it is 0): afterwards the launch may have left.
  TimeNs CallEnd(record::ProcessIndex process, record::CorrelationId correlation) const;

  void Finish();

  uint64_t orphans() const { return orphans_; }  // records whose launch had already left

 private:
  struct Ring {
    std::vector<Launch> slots;
    uint64_t advances = 0;
  };
  static bool Waiting(const Launch& launch) {
    if (launch.api_start == 0) return true;
    return launch.is_launch && launch.gpu_records == 0 && !launch.captured && !launch.failed;
  }
  Launch* Touch(record::ProcessIndex process, record::CorrelationId correlation);
  static void Grow(std::vector<Launch>& slots);

  Sink sink_;
  std::vector<Ring> rings_;  // by process
  uint64_t orphans_ = 0;
};

}  // namespace slowtoken::analysis
