// Writing one NVTX event into the calling thread's queue. Host threads, inside a HostCall. The fast path (text, no
// extended payload) is inline: one stamp, one reservation, one copy of the text.
#pragma once

#include "nvtx/host_call.h"
#include "nvtx/message.h"
#include "nvtx/payload_copy.h"

namespace slowtoken::nvtx {

// What the call said. Pointers are the host's.
struct HostEvent {
  RecordDetail detail;
  Message message;
  PayloadForm payload = PayloadForm::kNone;
  uint64_t value = 0;  // of a plain payload
  const nvtxPayloadData_t* pieces = nullptr;
  size_t piece_count = 0;
};

// Where and when.
struct Place {
  Op op = Op::kMark;
  uint16_t domain = 0;
  uint16_t level = 0;
  uint64_t stamp = 0;
};

// Reserves `bytes`. False, and the loss counted, if there is no room.
[[gnu::always_inline]] inline bool ReserveOrCount(Recorder& recorder, HostThread& thread, uint32_t bytes,
                                                  RecordQueue::Room& room) {
  if (__builtin_expect(thread.queue.Reserve(bytes, room), 1)) return true;
  recorder.losses->Add(base::Loss::kNvtxRingFull);
  return false;
}

// Writes the fixed part in place, and the text; returns where the payload goes.
[[gnu::always_inline]] inline std::byte* WriteFront(std::byte* room, const Place& place, const HostEvent& event,
                                                    uint32_t bytes) {
  Store(room, RecordHeader{.size = bytes,
                           .op = place.op,
                           .form = event.message.form,
                           .payload = event.payload,
                           .truncated = event.message.truncated,
                           .stamp = place.stamp,
                           .domain = place.domain,
                           .level = place.level,
                           .text = event.message.text});
  Store(room + sizeof(RecordHeader), event.detail);
  room += sizeof(RecordHeader) + sizeof(RecordDetail);
  const uint32_t text = event.message.bytes();
  if (text != 0) memcpy(room, event.message.data, text);
  return room + AlignRecord(text);
}

// After the event was written: times the call, if it is its turn.
[[gnu::always_inline]] inline void TimeCall(Recorder& recorder, HostThread& thread, uint64_t stamp) {
  if (CallTimer::IsTurn(stamp)) [[unlikely]] {
    thread.timer.Add(recorder.Stamp() - stamp);
  }
}

// The event with its extended payload. False: dropped and counted. Takes copies, so that the caller's event never needs
// an address and stays in registers. event_writer.cc.
bool WriteExtended(Recorder& recorder, HostThread& thread, Place place, HostEvent event);

// False: dropped and counted.
[[gnu::always_inline]] inline bool WriteEvent(HostCall& call, const Place& place, const HostEvent& event) {
  if (__builtin_expect(event.message.truncated, 0)) call.recorder().losses->Add(base::Loss::kNvtxTextTruncated);
  if (__builtin_expect(event.payload == PayloadForm::kExtended, 0)) {
    return WriteExtended(call.recorder(), call.thread(), place, event);
  }
  const bool plain = event.payload != PayloadForm::kNone;
  const uint32_t bytes = static_cast<uint32_t>(sizeof(RecordHeader) + sizeof(RecordDetail)) +
                         AlignRecord(event.message.bytes()) + (plain ? 8 : 0);
  RecordQueue::Room room;
  if (!ReserveOrCount(call.recorder(), call.thread(), bytes, room)) return false;
  std::byte* payload = WriteFront(room.at, place, event, bytes);
  if (plain) memcpy(payload, &event.value, 8);
  call.thread().queue.Commit(room);
  TimeCall(call.recorder(), call.thread(), place.stamp);
  return true;
}

// A pop without payload: the header alone.
inline void WritePop(HostCall& call, const Place& place) {
  constexpr uint32_t kBytes = sizeof(RecordHeader);
  RecordQueue::Room room;
  if (!ReserveOrCount(call.recorder(), call.thread(), kBytes, room)) return;
  Store(
      room.at,
      RecordHeader{.size = kBytes, .op = Op::kPop, .stamp = place.stamp, .domain = place.domain, .level = place.level});
  call.thread().queue.Commit(room);
  TimeCall(call.recorder(), call.thread(), place.stamp);
}

}  // namespace slowtoken::nvtx
