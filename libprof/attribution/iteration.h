// Iteration: all that is known of one engine iteration, joined over threads and processes by its key. Kept in
// IterationTable; plain data. Parts are hulls (earliest start, latest end), so that the order of events has no meaning.
#pragma once

#include <algorithm>

#include "attribution/interval_pool.h"
#include "base/hash.h"
#include "record/ids.h"

namespace slowtoken::attribution {

using base::PoolIndex;
using record::TimeNs;

inline constexpr TimeNs kForever = UINT64_MAX;

// A range of host time; end 0 = not seen (to end).
struct Span {
  TimeNs start = 0;
  TimeNs end = 0;
  bool known() const { return end != 0; }
  void Cover(TimeNs from, TimeNs to) {
    start = known() ? std::min(start, from) : from;
    end = std::max(end, to);
  }
};

// A thread of one of the processes read together.
constexpr uint64_t ThreadKey(record::ProcessIndex process, record::ThreadId thread) {
  return uint64_t{process} << 32 | thread;
}

// FlatMap key of an iteration (its HashKey is found beside it).
struct IterationId {
  record::IterationKey key;
  bool operator==(const IterationId&) const = default;
};
inline uint64_t HashKey(const IterationId& id) {
  return base::MixHash(id.key.iter ^ base::MixHash(uint64_t{id.key.engine} << 32 | id.key.dp_rank));
}

// Names an iteration safely after its place in the table may have been used again.
struct IterationRef {
  PoolIndex index = 0;
  uint32_t serial = 0;
};

// One of 64 bits for a request: a batch without it does not hold the request.
constexpr uint64_t MemberBit(record::RequestId request) { return uint64_t{1} << (request * 0x9e3779b97f4a7c15u >> 58); }

struct Iteration {
  record::IterationKey key;
  uint32_t serial = 0;

  // Host side.
  Span iter, schedule, forward, sample, update;
  Span all;                      // iter and all parts
  uint64_t schedule_thread = 0;  // ThreadKey of iter.schedule; the smallest where several ranks emit it
  uint64_t launch_thread = 0;    // ThreadKey of iter
  uint64_t sample_thread = 0;    // ThreadKey of iter.sample
  uint8_t flags = 0;             // record::IterationFlag
  uint32_t present = 0;
  uint64_t kv_used = 0, kv_total = 0, waiting = 0;

  // GPU side. Lists are normalized once sealed.
  IntervalList work;              // kernels and graph launches that are neither sampling nor collective
  IntervalList collectives;       // kernels of category collective, outside iter.sample
  IntervalList readback;          // device-to-host copies outside iter.sample
  Span gpu;                       // hull of work and collectives
  Span sampling;                  // hull of sampling operations
  TimeNs first_sampling_end = 0;  // readback counts from here
  TimeNs first_launch = 0;        // earliest start of a kernel or graph launch call; 0 = none
  uint64_t device_mask = 0;
  uint64_t busy_ns = 0;        // union of work and collectives (sealed)
  uint64_t collective_ns = 0;  // union of collectives (sealed)
  uint32_t kernels = 0;
  uint32_t graph_launches = 0;
  uint32_t launches = 0;          // kernel and graph launches
  uint32_t launches_matched = 0;  // of them, those with a GPU record

  // Batch: what `iter` says of its size; once sealed, of a batch that is known, its rows.
  bool batch_known = false;
  uint32_t prefill_rows = 0, decode_rows = 0, prefill_tokens = 0;
  uint64_t members = 0;  // MemberBit of each request in it (sealed)

  bool sealed = false;
  bool partial = false;   // sealed at the deadline
  bool trimmed = false;   // its intervals were given up for newer ones; `gpu` is all that is left of them
  TimeNs sample_end = 0;  // end of sampling and readback on the GPU, or of iter.sample if later (sealed); 0 = not seen

  // Kept by IterationTable.
  PoolIndex next = 0, prev = 0;                // in its list of unsealed or of sealed iterations
  TimeNs latest_gpu_end = 0;                   // sealed: the latest end of GPU work of this and all sealed before it
  TimeNs earliest_later_gpu_start = kForever;  // sealed: the earliest start of GPU work of all sealed after it

  bool has_gpu() const { return gpu.known(); }
  TimeNs host_end() const { return iter.known() ? iter.end : all.end; }
};

// End of sampling and readback on the GPU, or of iter.sample if later; 0 = neither seen. Intervals must be there.
inline TimeNs SampleEndOf(const Iteration& iteration, const IntervalPool& pool) {
  TimeNs end = std::max(iteration.sampling.end, iteration.sample.end);
  if (!iteration.sampling.known()) return end;
  pool.ForEach(iteration.readback, [&](Interval copy) {
    if (copy.start >= iteration.first_sampling_end) end = std::max(end, copy.end);
  });
  return end;
}

}  // namespace slowtoken::attribution
