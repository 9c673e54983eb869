#include "attribution/launch_table.h"

#include <bit>

namespace slowtoken::attribution {

using record::ApiClass;

bool LaunchTable::Init(base::Arena& arena, uint32_t capacity) {
  live_ = arena.AllocateArray<PoolIndex>(capacity);
  const size_t buckets = std::max<size_t>(std::bit_ceil(size_t{capacity} * 2), 16);
  buckets_ = arena.AllocateArray<PoolIndex>(buckets);
  line_shift_ = 64 - std::countr_zero(buckets / 8);
  return !live_.empty() && !buckets_.empty() && launches_.Init(arena, capacity);
}

bool LaunchTable::Add(const record::ApiCall& call) {
  const uint64_t id = LaunchId(call.process, call.correlation);
  PoolIndex& bucket = BucketOf(id);
  bool shares_id = false;
  if (Merge(bucket, id, call, &shares_id)) return true;
  const PoolIndex index = launches_.Take();
  if (index == 0) return false;
  Launch& launch = launches_[index];
  launch.start = call.start;
  launch.end = call.end;
  launch.id = id;
  launch.thread = call.thread;
  launch.api_class = call.api_class;
  launch.shares_id = shares_id;
  launch.next = bucket;
  bucket = index;
  live_[live_count_++] = index;
  return true;
}

bool LaunchTable::Merge(PoolIndex bucket, uint64_t id, const record::ApiCall& call, bool* shares_id) {
  for (PoolIndex i = bucket; i != 0; i = launches_[i].next) {
    Launch& other = launches_[i];
    if (other.id != id) continue;
    const bool inside = call.start >= other.start && call.end <= other.end;
    const bool around = call.start <= other.start && call.end >= other.end;
    if (other.thread == call.thread && (inside || around)) {
      other.start = std::min(other.start, call.start);
      other.end = std::max(other.end, call.end);
      if (other.api_class == ApiClass::kOther) other.api_class = call.api_class;
      return true;
    }
    other.shares_id = *shares_id = true;
  }
  return false;
}

Launch* LaunchTable::Find(uint64_t id, TimeNs gpu_end) {
  Launch* before = nullptr;    // the latest that began before the work ended
  Launch* earliest = nullptr;  // else the earliest
  for (PoolIndex i = BucketOf(id); i != 0; i = launches_[i].next) {
    Launch& launch = launches_[i];
    if (launch.id != id) continue;
    if (!launch.shares_id) return &launch;
    if (launch.start <= gpu_end && (before == nullptr || launch.start > before->start)) before = &launch;
    if (earliest == nullptr || launch.start < earliest->start) earliest = &launch;
  }
  return before != nullptr ? before : earliest;
}

void LaunchTable::Free(PoolIndex index) {
  PoolIndex* link = &BucketOf(launches_[index].id);
  while (*link != index) link = &launches_[*link].next;
  *link = launches_[index].next;
  launches_.Give(index);
}

}  // namespace slowtoken::attribution
