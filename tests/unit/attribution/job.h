// Job: a request as the workload's engine sees it.
#pragma once

#include <utility>
#include <vector>

#include "record/ids.h"

namespace slowtoken::attribution::testing {

struct Job {
  record::RequestId id = 0;
  record::TimeNs arrival = 0, queued = 0;
  uint64_t prompt = 0, done_prompt = 0;
  uint64_t want = 0, made = 0;
  bool scheduled = false, preempted = false, recompute = false, aborted = false, early = false;
  record::TimeNs last_commit = 0, last_send = 0;
  std::vector<std::pair<uint64_t, uint64_t>> unsent;  // n, n_new
};

}  // namespace slowtoken::attribution::testing
