// LaunchTable: the calls that started GPU work, by process and correlation id, until their GPU records have arrived.
// Filled from API records in any order, asked once per GPU record; used by attribution only; single threaded; bounded.
// One id may carry hundreds of records (a graph's nodes), its runtime call and the nested driver call share it, and it
// may be used again.
#pragma once

#include "attribution/iteration.h"
#include "base/loss.h"
#include "record/host_events.h"

namespace slowtoken::attribution {

struct Launch {
  TimeNs start = 0, end = 0;                     // of the outermost call
  TimeNs first_gpu_start = 0, last_gpu_end = 0;  // of its GPU records; 0 = none with a time yet
  uint64_t id = 0;                               // process and correlation id
  IterationRef iteration;                        // index 0 = nobody's
  record::ThreadId thread = 0;
  PoolIndex next = 0;  // in its bucket
  record::ApiClass api_class = record::ApiClass::kOther;
  bool resolved = false;   // `iteration` is decided
  bool in_sample = false;  // called inside iter.sample
  bool shares_id = false;  // another launch has or had the same id
  uint32_t gpu_records = 0;
  record::ProcessIndex process() const { return static_cast<record::ProcessIndex>(id >> 32); }
  // Kernel and graph launches are what a GPU record is waited for.
  bool counts() const {
    return api_class == record::ApiClass::kKernelLaunch || api_class == record::ApiClass::kGraphLaunch;
  }
};

constexpr uint64_t LaunchId(record::ProcessIndex process, record::CorrelationId correlation) {
  return uint64_t{process} << 32 | correlation;
}

class LaunchTable {
 public:
  bool Init(base::Arena& arena, uint32_t capacity);

  // Takes in a call; false when the table is full.
  bool Add(const record::ApiCall& call);

  // The launch that a GPU record which ended at `gpu_end` belongs to: the latest that began before; if none did (clocks
  // differ by some microseconds) the earliest. nullptr if the id is unknown.
  Launch* Find(uint64_t id, TimeNs gpu_end);

  // Calls visit(Launch&) for every launch in order of arrival; frees those for which it returns true.
  template <typename Visit>
  void Sweep(Visit visit) {
    size_t kept = 0;
    for (size_t i = 0; i < live_count_; ++i) {
      const PoolIndex index = live_[i];
      if (visit(launches_[index])) {
        Free(index);
      } else {
        live_[kept++] = index;
      }
    }
    live_count_ = kept;
  }

  size_t size() const { return live_count_; }
  size_t capacity() const { return live_.size(); }

 private:
  // Ids are handed out one after the other: eight of them in a row share a cache line of buckets.
  PoolIndex& BucketOf(uint64_t id) {
    constexpr uint64_t kGoldenRatio =
        0x9e3779b97f4a7c15;  // of 2^64: spreads numbers in a row evenly over the high bits
    return buckets_[((id >> 3) * kGoldenRatio >> line_shift_) * 8 + (id & 7)];
  }
  // Widens the launch whose runtime or driver half `call` is: one lies inside the other on one thread. Marks launches
  // that share its id otherwise.
  bool Merge(PoolIndex bucket, uint64_t id, const record::ApiCall& call, bool* shares_id);
  void Free(PoolIndex index);

  std::span<PoolIndex> buckets_;  // heads of chains of launches
  int line_shift_ = 0;            // 64 - log2(lines of buckets)
  base::Pool<Launch> launches_;
  std::span<PoolIndex> live_;
  size_t live_count_ = 0;
};

}  // namespace slowtoken::attribution
