// StartSequence: attaches to CUPTI: the one order of calls that works, and what each failure means. Called by the
// starting thread (a door, inside cuInit), and by the worker when CUPTI has become free again. Some 250 CUPTI calls,
// below a millisecond; no CUDA call.
//
// Order and reasons:
//  1. version: older than CUDA 12.4 is left alone.
//  2. is another tool there (39)? Nothing of ours has touched CUPTI yet, above all not its buffer call-backs, which are
//     one set per process. We keep no subscription: see subscription_slot.h.
//  3. attributes and thread id type: before the buffer call-backs (cupti_activity.h:7205).
//  4. buffer call-backs: before any kind.
//     The second time: a flush, for what another client left behind.
//  5. kinds. Never KERNEL, which serialises.
//  6. single API calls, without the kinds RUNTIME and DRIVER, which would override the choice (cupti_activity.h:8196).
// A failure of 1, 2 or 4 ends the attempt; any other costs its own feature, is counted, and the rest goes on.
#pragma once

#include "cupti/host_side.h"
#include "cupti/options.h"
#include "cupti/version_policy.h"
#include "record/session_events.h"

namespace slowtoken::cupti {

class ApiClasses;

// What came of it. `detail` is one line for people: what failed and what to do; empty when all is well.
struct Attachment {
  record::SourceState state = record::SourceState::kUnknown;
  record::BlindReason reason = record::BlindReason::kNone;
  int32_t error = 0;
  uint32_t version = 0;
  char detail[320] = {};
  bool collecting = false;       // records may come
  bool zeroed_by_us = false;     // CUPTI relies on zeroed buffers
  bool whole_api_kinds = false;  // CUPTI could not be told which API calls to record
  bool thread_ids_known = false;
};

Attachment AttachToCupti(const ApiTable& api, const Options& options, const ApiClasses& classes,
                         base::LossCounters& losses);

}  // namespace slowtoken::cupti
