// The quick way of a push and a pop: the thread's slot is at its place, all is recorded, there is a text and no
// payload, the chunk has room. Anything else goes the way of range_calls.h before anything is done here. Apart, because
// a function that calls nothing but in its last line needs no stack, and the event passes through registers alone. Host
// threads.
#pragma once

#include "nvtx/range_calls.h"

namespace slowtoken::nvtx {

// The calling thread if it may record at once, and where; `room` is nullptr if it may not, or there is none.
struct QuickPlace {
  HostThread* thread;
  std::byte* room;
};
[[gnu::always_inline]] inline QuickPlace FindQuickPlace(Recorder& recorder, uint32_t bytes) {
  HostThread* thread = recorder.threads.AtPlace();
  if (thread == nullptr || recorder.mode.load(std::memory_order_relaxed) != Mode::kRecording ||
      thread->busy.load(std::memory_order_relaxed)) {
    return {nullptr, nullptr};
  }
  return {thread, thread->queue.ReserveHere(bytes)};
}

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

// The text of a quick push: a registered string's number, or `text` bytes at `data`.
struct QuickText {
  TextForm form;
  uint32_t text;
  const char* data;
  uint32_t bytes() const { return form == TextForm::kBytes ? text : 0; }
};

template <int (*Otherwise)(nvtxDomainHandle_t, const nvtxEventAttributes_t*)>
[[gnu::always_inline]] inline int QuickPushOf(nvtxDomainHandle_t handle, const nvtxEventAttributes_t* a,
                                              const QuickText& text) {
  constexpr uint32_t kFront = sizeof(RecordHeader) + sizeof(RecordDetail);
  const uint32_t bytes = kFront + AlignRecord(text.bytes());
  const QuickPlace place = FindQuickPlace(*g_recorder.load(std::memory_order_acquire), bytes);
  if (place.room == nullptr) [[unlikely]] {
    return Otherwise(handle, a);
  }
  const uint16_t domain = DomainOf(handle);
  const uint32_t level = place.thread->levels[domain];
  if (level >= kDeepest) [[unlikely]] {
    return Otherwise(handle, a);
  }
  BeginQuickCall(*place.thread);
  place.thread->levels[domain] = level + 1;
  const uint64_t stamp = base::ReadTsc();
  Store(place.room, RecordHeader{.size = bytes,
                                 .op = Op::kPush,
                                 .form = text.form,
                                 .stamp = stamp,
                                 .domain = domain,
                                 .level = static_cast<uint16_t>(level),
                                 .text = text.text});
  Store(place.room + sizeof(RecordHeader),
        RecordDetail{.category = a->category, .color = a->colorType == NVTX_COLOR_ARGB ? a->color : 0});
  if (text.form == TextForm::kBytes) memcpy(place.room + kFront, text.data, text.text);
  return EndQuickCall(*place.thread, bytes, stamp, level);
}

// Of a text that is not registered: measured and copied by libc, so there is a stack.
template <int (*Otherwise)(nvtxDomainHandle_t, const nvtxEventAttributes_t*)>
[[gnu::noinline]] int QuickPushBytes(nvtxDomainHandle_t handle, const nvtxEventAttributes_t* a) {
  const uint32_t limit = g_recorder.load(std::memory_order_acquire)->text_limit;
  const char* text = a->message.ascii;
  if (text == nullptr) return Otherwise(handle, a);
  const size_t size = strnlen(text, size_t{limit} + 1);
  if (size > limit) return Otherwise(handle, a);
  return QuickPushOf<Otherwise>(handle, a, {TextForm::kBytes, static_cast<uint32_t>(size), text});
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
    return QuickPushOf<Otherwise>(handle, a, {TextForm::kRegistered, static_cast<uint32_t>(number), nullptr});
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
  const uint64_t stamp = base::ReadTsc();
  const QuickPlace place = FindQuickPlace(recorder, kBytes);
  if (place.room == nullptr) [[unlikely]] {
    return Otherwise(handle);
  }
  const uint16_t domain = DomainOf(handle);
  const uint32_t level = place.thread->levels[domain] - 1;
  if (level >= kDeepest) [[unlikely]] {  // none is open, or this one was not recorded
    return Otherwise(handle);
  }
  BeginQuickCall(*place.thread);
  place.thread->levels[domain] = level;
  Store(place.room,
        RecordHeader{
            .size = kBytes, .op = Op::kPop, .stamp = stamp, .domain = domain, .level = static_cast<uint16_t>(level)});
  return EndQuickCall(*place.thread, kBytes, stamp, level);
}

}  // namespace slowtoken::nvtx
