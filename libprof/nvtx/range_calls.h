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

// How many levels of the domain were open when this thread first met the pause and still are. Asked while paused,
// before the level changes. A level left over from an earlier pause counts as well: its pop finds no range and changes
// nothing.
inline uint32_t& OpenBeforePause(const Recorder& recorder, HostThread& thread, uint16_t domain) {
  // `pauses` is counted before the mode is set. (No fence: ThreadSanitizer knows none.)
  static_cast<void>(recorder.mode.load(std::memory_order_acquire));
  const uint32_t pause = recorder.pauses.load(std::memory_order_relaxed);
  if (thread.pause != pause) {
    thread.pause = pause;
    thread.open_before_pause = thread.levels;
  }
  return thread.open_before_pause[domain];
}

// A push that is followed but not recorded.
[[gnu::always_inline]] inline int PushUnrecorded(HostCall& call, uint16_t domain) {
  if (!call.has_thread()) return NVTX_NO_PUSH_POP_TRACKING;
  OpenBeforePause(call.recorder(), call.thread(), domain);
  return static_cast<int>(call.thread().levels[domain]++);
}

// The call records.
[[gnu::always_inline]] inline int Push(HostCall& call, uint16_t domain, const HostEvent& event) {
  const uint32_t level = call.thread().levels[domain]++;
  if (level < kDeepest) {
    WriteEvent(call, {Op::kPush, domain, static_cast<uint16_t>(level), call.recorder().Stamp()}, event);
  } else {
    call.recorder().losses->Add(base::Loss::kRangeTableFull);
  }
  return static_cast<int>(level);
}

// True if the pop about to happen ends a range that may have been recorded; while paused, one that began before.
[[gnu::always_inline]] inline bool EndsRecorded(HostCall& call, uint16_t domain, uint32_t level) {
  if (__builtin_expect(call.recording(), 1)) return true;
  if (!call.listening()) return false;
  uint32_t& before = OpenBeforePause(call.recorder(), call.thread(), domain);
  if (level >= before) return false;
  before = level;
  return true;
}

// `event` is nullptr for a pop that says nothing.
[[gnu::always_inline]] inline int Pop(HostCall& call, uint16_t domain, const HostEvent* event) {
  const uint64_t stamp = call.recorder().Stamp();
  uint32_t& depth = call.thread().levels[domain];
  if (depth == 0) {
    if (call.recording()) call.recorder().losses->Add(base::Loss::kNvtxUnbalanced);
    return -1;
  }
  const uint32_t level = depth - 1;
  const bool recorded = EndsRecorded(call, domain, level);
  depth = level;
  if (!recorded) return static_cast<int>(level);
  if (level >= kDeepest) {
    call.recorder().losses->Add(base::Loss::kRangeTableFull);
  } else {
    const Place place{Op::kPop, domain, static_cast<uint16_t>(level), stamp};
    if (event == nullptr) {
      WritePop(call, place);
    } else {
      WriteEvent(call, place, *event);
    }
  }
  return static_cast<int>(level);
}

// The range's id; 0, which End ignores, if the start was not recorded. The call records.
inline nvtxRangeId_t Start(HostCall& call, uint16_t domain, HostEvent& event) {
  event.detail.id = ++call.thread().next_range;
  return WriteEvent(call, {Op::kStart, domain, 0, call.recorder().Stamp()}, event) ? event.detail.id : 0;
}

// The range began while we were recording.
inline void End(HostCall& call, uint16_t domain, HostEvent& event) {
  if (call.listening()) WriteEvent(call, {Op::kEnd, domain, 0, call.recorder().Stamp()}, event);
}

// The call records.
inline void Mark(HostCall& call, uint16_t domain, const HostEvent& event) {
  WriteEvent(call, {Op::kMark, domain, 0, call.recorder().Stamp()}, event);
}

}  // namespace slowtoken::nvtx
