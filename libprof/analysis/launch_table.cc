#include "analysis/launch_table.h"

#include <algorithm>

namespace slowtoken::analysis {
namespace {

constexpr size_t kFirstSlots = 1u << 12;
constexpr size_t kMostSlots = 1u << 20;

bool IsNewer(record::CorrelationId a, record::CorrelationId b) { return static_cast<int32_t>(a - b) > 0; }

}  // namespace

void LaunchTable::Grow(std::vector<Launch>& slots) {
  std::vector<Launch> larger(slots.size() * 2);
  for (const Launch& launch : slots) {
    if (launch.correlation != 0) larger[launch.correlation & (larger.size() - 1)] = launch;
  }
  slots = std::move(larger);
}

Launch* LaunchTable::Touch(record::ProcessIndex process, record::CorrelationId correlation) {
  if (process >= rings_.size()) rings_.resize(process + size_t{1});
  Ring& ring = rings_[process];
  if (ring.slots.empty()) ring.slots.resize(kFirstSlots);
  for (;;) {
    Launch& slot = ring.slots[correlation & (ring.slots.size() - 1)];
    if (slot.correlation == correlation) {
      slot.touched = ring.advances;
      return &slot;
    }
    if (slot.correlation != 0) {
      const bool newer = IsNewer(correlation, slot.correlation);
      const bool needed = !newer || Waiting(slot) || slot.touched == ring.advances;
      if (needed && ring.slots.size() < kMostSlots) {
        Grow(ring.slots);
        continue;
      }
      if (!newer) {
        ++orphans_;
        return nullptr;
      }
      sink_(process, slot);
    }
    slot = Launch{.correlation = correlation, .touched = ring.advances};
    return &slot;
  }
}

void LaunchTable::AddCall(const record::ApiCall& call) {
  using record::ApiClass;
  const bool starts_work = call.api_class == ApiClass::kKernelLaunch || call.api_class == ApiClass::kGraphLaunch ||
                           call.api_class == ApiClass::kMemcpy || call.api_class == ApiClass::kMemset;
  if (!starts_work || call.correlation == 0) return;
  Launch* launch = Touch(call.process, call.correlation);
  if (launch == nullptr) return;
  launch->is_graph |= call.api_class == ApiClass::kGraphLaunch;
  launch->is_launch |= launch->is_graph || call.api_class == ApiClass::kKernelLaunch;
  launch->captured |= call.captured;
  launch->failed |= call.return_value != 0;
  if (!IsInterval(call.start, call.end)) return;
  launch->api_start = launch->api_start == 0 ? call.start : std::min(launch->api_start, call.start);
  launch->api_end = std::max(launch->api_end, call.end);
}

void LaunchTable::AddGpuWork(record::ProcessIndex process, record::CorrelationId correlation, uint32_t graph_id,
                             TimeNs start, TimeNs end) {
  if (correlation == 0) return;
  Launch* launch = Touch(process, correlation);
  if (launch == nullptr) return;
  ++launch->gpu_records;
  if (graph_id != 0) launch->graph_id = graph_id;
  if (!IsInterval(start, end)) return;
  launch->gpu_start = launch->gpu_start == 0 ? start : std::min(launch->gpu_start, start);
  launch->gpu_end = std::max(launch->gpu_end, end);
}

TimeNs LaunchTable::CallEnd(record::ProcessIndex process, record::CorrelationId correlation) const {
  if (process >= rings_.size() || rings_[process].slots.empty()) return 0;
  const std::vector<Launch>& slots = rings_[process].slots;
  const Launch& slot = slots[correlation & (slots.size() - 1)];
  return slot.correlation == correlation ? slot.api_end : 0;
}

void LaunchTable::Finish() {
  for (size_t process = 0; process < rings_.size(); ++process) {
    for (const Launch& launch : rings_[process].slots) {
      if (launch.correlation != 0) sink_(static_cast<record::ProcessIndex>(process), launch);
    }
    rings_[process].slots.clear();
  }
}

}  // namespace slowtoken::analysis
