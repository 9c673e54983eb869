// The range operations behind all NVTX handlers: nesting levels, range ids, and what is written when. Host threads.
// Return values follow nvToolsExt.h: push and pop give the level within thread and domain, a pop without push -1, and
// where nesting is not followed (no slot) both give NVTX_NO_PUSH_POP_TRACKING. Hosts branch on them (bug log row 121).
#pragma once

#include "nvtx/event_writer.h"

namespace slowtoken::nvtx {

inline constexpr uint32_t kDeepest = 0xffff;  // levels beyond are followed but not recorded

// Domain handles are our numbers; what we never gave out counts as the overflow domain.
inline uint16_t DomainOf(nvtxDomainHandle_t handle) {
  const auto number = reinterpret_cast<uintptr_t>(handle);
  return number < kDomainLimit ? static_cast<uint16_t>(number) : kOverflowDomain;
}

inline int Push(HostCall& call, uint16_t domain, const HostEvent& event) {
  const uint32_t level = call.thread().levels[domain]++;
  if (call.recording()) {
    if (level < kDeepest) {
      WriteEvent(call, {Op::kPush, domain, static_cast<uint16_t>(level), call.recorder().Stamp()}, event);
    } else {
      call.recorder().losses->Add(base::Loss::kRangeTableFull);
    }
  }
  return static_cast<int>(level);
}

// `event` is nullptr for a pop that says nothing.
inline int Pop(HostCall& call, uint16_t domain, uint64_t stamp, const HostEvent* event) {
  uint32_t& depth = call.thread().levels[domain];
  if (depth == 0) {
    if (call.recording()) call.recorder().losses->Add(base::Loss::kNvtxUnbalanced);
    return -1;
  }
  const uint32_t level = --depth;
  if (call.recording() && level < kDeepest) {
    const Place place{Op::kPop, domain, static_cast<uint16_t>(level), stamp};
    if (event == nullptr) {
      WritePop(call, place);
    } else {
      WriteEvent(call, place, *event);
    }
  }
  return static_cast<int>(level);
}

// The range's id; 0, which End ignores, if the start was not recorded.
inline nvtxRangeId_t Start(HostCall& call, uint16_t domain, HostEvent& event) {
  if (!call.recording()) return 0;
  event.detail.id = ++call.thread().next_range;
  return WriteEvent(call, {Op::kStart, domain, 0, call.recorder().Stamp()}, event) ? event.detail.id : 0;
}

inline void End(HostCall& call, uint16_t domain, uint64_t stamp, HostEvent& event) {
  if (call.recording() && event.detail.id != 0) WriteEvent(call, {Op::kEnd, domain, 0, stamp}, event);
}

inline void Mark(HostCall& call, uint16_t domain, const HostEvent& event) {
  if (call.recording()) WriteEvent(call, {Op::kMark, domain, 0, call.recorder().Stamp()}, event);
}

}  // namespace slowtoken::nvtx
