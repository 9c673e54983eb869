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
  const bool may = thread != nullptr && recorder.mode.load(std::memory_order_relaxed) == Mode::kRecording &&
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

[[gnu::always_inline]] inline int EndQuickCall(HostThread& thread, uint32_t bytes, uint64_t stamp, uint32_t level) {
  thread.queue.Commit(bytes);
  if (CallTimer::IsTurn(stamp)) [[unlikely]] {
    return TimeQuickCall(thread, stamp, level);
  }
  thread.busy.store(false, std::memory_order_release);
  return static_cast<int>(level);
}

template <int (*Otherwise)(nvtxDomainHandle_t, const nvtxEventAttributes_t*)>
[[gnu::always_inline]] inline int QuickPushOf(nvtxDomainHandle_t handle, const nvtxEventAttributes_t* a,
                                              const Message& message) {
  const uint32_t bytes =
      static_cast<uint32_t>(sizeof(RecordHeader) + sizeof(RecordDetail)) + AlignRecord(message.bytes());
  HostThread* thread = FindQuickThread(*g_recorder.load(std::memory_order_acquire));
  if (thread == nullptr) [[unlikely]] {
    return Otherwise(handle, a);
  }
  BeginQuickCall(*thread);
  const uint16_t domain = DomainOf(handle);
  const uint32_t level = thread->levels[domain];
  std::byte* room = thread->queue.ReserveHere(bytes);
  if (room == nullptr || level >= kDeepest) [[unlikely]] {
    thread->busy.store(false, std::memory_order_release);
    return Otherwise(handle, a);
  }
  thread->levels[domain] = level + 1;
  const uint64_t stamp = base::ReadTsc();
  HostEvent event;
  event.detail = {.category = a->category, .color = a->colorType == NVTX_COLOR_ARGB ? a->color : 0};
  event.message = message;
  WriteFront(room, {Op::kPush, domain, static_cast<uint16_t>(level), stamp}, event, bytes);
  return EndQuickCall(*thread, bytes, stamp, level);
}

// Of a text that is not registered: measured and copied by libc, so there is a stack.
template <int (*Otherwise)(nvtxDomainHandle_t, const nvtxEventAttributes_t*)>
[[gnu::noinline]] int QuickPushBytes(nvtxDomainHandle_t handle, const nvtxEventAttributes_t* a) {
  const Message message = MeasureBytes(a->message.ascii, g_recorder.load(std::memory_order_acquire)->text_limit);
  return message.truncated ? Otherwise(handle, a) : QuickPushOf<Otherwise>(handle, a, message);
}

// `Otherwise` is the handler for what is not quick.
template <int (*Otherwise)(nvtxDomainHandle_t, const nvtxEventAttributes_t*)>
int QuickPush(nvtxDomainHandle_t handle, const nvtxEventAttributes_t* a) {
  if (a == nullptr || a->size < sizeof(nvtxEventAttributes_t) || a->payloadType != NVTX_PAYLOAD_UNKNOWN ||
      !g_recorder.load(std::memory_order_acquire)->tsc) [[unlikely]] {
    return Otherwise(handle, a);
  }
  const auto number = reinterpret_cast<uintptr_t>(a->message.registered);
  if (a->messageType == NVTX_MESSAGE_TYPE_REGISTERED && number < UINT32_MAX) {
    return QuickPushOf<Otherwise>(handle, a, {TextForm::kRegistered, false, static_cast<uint32_t>(number), nullptr});
  }
  return a->messageType == NVTX_MESSAGE_TYPE_ASCII ? QuickPushBytes<Otherwise>(handle, a) : Otherwise(handle, a);
}

template <int (*Otherwise)(nvtxDomainHandle_t)>
int QuickPop(nvtxDomainHandle_t handle) {
  constexpr uint32_t kBytes = sizeof(RecordHeader);
  Recorder& recorder = *g_recorder.load(std::memory_order_acquire);
  if (!recorder.tsc) [[unlikely]] {
    return Otherwise(handle);
  }
  HostThread* thread = FindQuickThread(recorder);
  if (thread == nullptr) [[unlikely]] {
    return Otherwise(handle);
  }
  BeginQuickCall(*thread);
  const uint64_t stamp = base::ReadTsc();
  const uint16_t domain = DomainOf(handle);
  const uint32_t level = thread->levels[domain] - 1;
  std::byte* room = thread->queue.ReserveHere(kBytes);
  if (room == nullptr || level >= kDeepest) [[unlikely]] {  // or none is open, or this one was not recorded
    thread->busy.store(false, std::memory_order_release);
    return Otherwise(handle);
  }
  thread->levels[domain] = level;
  Store(room,
        RecordHeader{
            .size = kBytes, .op = Op::kPop, .stamp = stamp, .domain = domain, .level = static_cast<uint16_t>(level)});
  return EndQuickCall(*thread, kBytes, stamp, level);
}

}  // namespace slowtoken::nvtx
