#include "nvtx/event_writer.h"

namespace slowtoken::nvtx {

bool WriteExtended(Recorder& recorder, HostThread& thread, Place place, HostEvent event) {
  const PayloadPlan plan(recorder, place.domain, event.pieces, event.piece_count);
  const uint32_t bytes = static_cast<uint32_t>(sizeof(RecordHeader) + sizeof(RecordDetail)) +
                         AlignRecord(event.message.bytes()) + plan.bytes();
  RecordQueue::Room room;
  if (!ReserveOrCount(recorder, thread, bytes, room)) return false;
  plan.Write(WriteFront(room.at, place, event, bytes));
  thread.queue.Commit(room);
  TimeCall(recorder, thread, place.stamp);
  return true;
}

}  // namespace slowtoken::nvtx
