// The quick way of a push and a pop: the thread's slot is at its place, all is recorded, there is a text and no
// payload, the chunk has room. Anything else goes the way of range_calls.h with nothing done. Apart, because
// a function that calls nothing but in its last line needs no stack, and the event passes through registers alone. Host
// threads.
#pragma once

#include "nvtx/range_calls.h"

namespace slowtoken::nvtx {

// The calling thread if it may record at once, else nullptr.
[[gnu::always_inline]] inline HostThread* FindQuickThread(Recorder& recorder) {
  HostThread* thread = recorder.threads.AtPlace();
  const bool may = thread != nullptr && recorder.quick.load(std::memory_order_relaxed) &&
                   !thread->busy.load(std::memory_order_relaxed);
  return may ? thread : nullptr;
}

// A signal handler that calls NVTX may come at any moment: what it may change (the queue, the levels) is read behind
// this, as it refuses to record from here on.
[[gnu::always_inline]] inline void BeginQuickCall(HostThread& thread) {
  thread.busy.store(true, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

// The end of a quick call whose turn it is to be timed; `level` is what it returns.
[[gnu::noinline]] inline int TimeQuickCall(HostThread& thread, uint64_t stamp, uint32_t level) {
  thread.timer.Add(base::ReadTsc() - stamp);
  thread.busy.store(false, std::memory_order_release);
  return static_cast<int>(level);
}

[[gnu::always_inline]] inline int EndQuickCall(HostThread& thread, const RecordQueue::Room& room, uint64_t stamp,
                                               uint32_t level) {
  thread.queue.Commit(room);
  if (CallTimer::IsTurn(stamp)) [[unlikely]] {
    return TimeQuickCall(thread, stamp, level);
  }
  thread.busy.store(false, std::memory_order_release);
  return static_cast<int>(level);
}

template <int (*Otherwise)(nvtxDomainHandle_t, const nvtxEventAttributes_t*)>
[[gnu::always_inline]] inline int QuickPushOn(HostThread& thread, nvtxDomainHandle_t handle,
                                              const nvtxEventAttributes_t* a, const Message& message) {
  const uint32_t bytes =
      static_cast<uint32_t>(sizeof(RecordHeader) + sizeof(RecordDetail)) + AlignRecord(message.bytes());
  BeginQuickCall(thread);
  const uint16_t domain = DomainOf(handle);
  const uint32_t level = thread.levels[domain];
  RecordQueue::Room room;
  if (!thread.queue.ReserveHere(bytes, room) || level >= kDeepest) [[unlikely]] {
    thread.busy.store(false, std::memory_order_release);
    return Otherwise(handle, a);
  }
  thread.levels[domain] = level + 1;
  const uint64_t stamp = base::ReadTsc();
  HostEvent event;
  event.detail = {.category = a->category, .color = a->colorType == NVTX_COLOR_ARGB ? a->color : 0};
  event.message = message;
  WriteFront(room.at, {Op::kPush, domain, static_cast<uint16_t>(level), stamp}, event, bytes);
  return EndQuickCall(thread, room, stamp, level);
}

// Of a text that is not registered: measured and copied by libc, so there is a stack.
template <int (*Otherwise)(nvtxDomainHandle_t, const nvtxEventAttributes_t*)>
[[gnu::noinline]] int QuickPushBytes(nvtxDomainHandle_t handle, const nvtxEventAttributes_t* a) {
  Recorder& recorder = *g_recorder.load(std::memory_order_acquire);
  HostThread* thread = FindQuickThread(recorder);
  const char* text = a->message.ascii;
  if (thread == nullptr || text == nullptr) [[unlikely]] {
    return Otherwise(handle, a);
  }
  // As MeasureBytes does, but that one also answers for texts that are cut: 1 ns a pair (tests/bench/nvtx_bench).
  const size_t limit = recorder.text_limit, size = strnlen(text, limit + 1);
  if (size > limit) [[unlikely]] {
    return Otherwise(handle, a);
  }
  return QuickPushOn<Otherwise>(*thread, handle, a, {TextForm::kBytes, false, static_cast<uint32_t>(size), text});
}

// `Otherwise` is the handler for what is not quick.
template <int (*Otherwise)(nvtxDomainHandle_t, const nvtxEventAttributes_t*)>
int QuickPush(nvtxDomainHandle_t handle, const nvtxEventAttributes_t* a) {
  if (a == nullptr || a->size < sizeof(nvtxEventAttributes_t) || a->payloadType != NVTX_PAYLOAD_UNKNOWN) [[unlikely]] {
    return Otherwise(handle, a);
  }
  if (a->messageType == NVTX_MESSAGE_TYPE_ASCII) return QuickPushBytes<Otherwise>(handle, a);
  const auto number = reinterpret_cast<uintptr_t>(a->message.registered);
  if (a->messageType != NVTX_MESSAGE_TYPE_REGISTERED || number >= UINT32_MAX) return Otherwise(handle, a);
  HostThread* thread = FindQuickThread(*g_recorder.load(std::memory_order_acquire));
  if (thread == nullptr) [[unlikely]] {
    return Otherwise(handle, a);
  }
  return QuickPushOn<Otherwise>(*thread, handle, a,
                                {TextForm::kRegistered, false, static_cast<uint32_t>(number), nullptr});
}

template <int (*Otherwise)(nvtxDomainHandle_t)>
int QuickPop(nvtxDomainHandle_t handle) {
  constexpr uint32_t kBytes = sizeof(RecordHeader);
  HostThread* thread = FindQuickThread(*g_recorder.load(std::memory_order_acquire));
  if (thread == nullptr) [[unlikely]] {
    return Otherwise(handle);
  }
  BeginQuickCall(*thread);
  const uint64_t stamp = base::ReadTsc();
  const uint16_t domain = DomainOf(handle);
  const uint32_t level = thread->levels[domain] - 1;
  RecordQueue::Room room;
  if (!thread->queue.ReserveHere(kBytes, room) || level >= kDeepest)
      [[unlikely]] {  // or none is open, or this one was not recorded
    thread->busy.store(false, std::memory_order_release);
    return Otherwise(handle);
  }
  thread->levels[domain] = level;
  Store(room.at,
        RecordHeader{
            .size = kBytes, .op = Op::kPop, .stamp = stamp, .domain = domain, .level = static_cast<uint16_t>(level)});
  return EndQuickCall(*thread, room, stamp, level);
}

}  // namespace slowtoken::nvtx
