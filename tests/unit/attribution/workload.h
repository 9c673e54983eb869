// Workload: a random but plausible serving run as a log of events: an engine with continuous batching on one GPU stream
// or two, in one, two or three processes. Deterministic by seed.
#pragma once

#include "scene.h"

namespace slowtoken::attribution::testing {

enum class GraphUse { kNone, kNodes, kLaunches };

struct WorkloadOptions {
  uint64_t seed = 1;
  int requests = 25;
  int processes = 1;         // 1; 2: frontend and engine; 3: frontend, scheduler, worker
  bool overlap = false;      // the CPU runs one iteration ahead
  bool keyed_parts = false;  // parts carry their key; else they stand inside `iter`
  bool gpu_records = true;
  GraphUse graphs = GraphUse::kNone;
  int kernels = 6;            // most per iteration and kind
  bool driver_only = false;   // no runtime call around the driver call
  bool nested_calls = false;  // runtime call with a nested driver call of the same id
  uint32_t id_wrap = 0;       // correlation ids start over after so many
  bool collectives = false;
  bool second_stream = false;  // kernels of an iteration overlap
  bool deltas = true;          // batch: join, leave, change; else set each time
  bool lost_batch_mark = false;
  double preempt = 0, abort = 0, chunk = 0.5, speculate = 0, lost_send = 0, dummy = 0, wait_reasons = 0, host_work = 0;
  double prefill_alone = 0;  // iterations that leave decode rows out where others prefill
  bool several_per_send = false;
  bool tokens_name_iteration = true;
  double zero_time = 0;    // GPU records without a time
  int alive_at_start = 0;  // requests whose `req` and first tokens were not recorded
};

// Events in order of the time at which they are known. Shapes and lanes come from `bench`.
EventLog MakeWorkload(const WorkloadOptions& options, Bench& bench);

struct DeliveryOptions {
  uint64_t seed = 1;
  record::TimeNs period = 100 * kMs;  // between Advance events
  record::TimeNs lateness = 0;        // events may come this much later than known
  bool shuffle = false;               // within each period
  int processes = 1;
};

// Delivers a log to the engine with Advance events, and finishes.
void Deliver(const EventLog& log, const DeliveryOptions& options, Bench& bench);

}  // namespace slowtoken::attribution::testing
