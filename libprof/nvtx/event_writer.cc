#include "nvtx/event_writer.h"

namespace slowtoken::nvtx {

bool WriteExtended(HostCall& call, const Place& place, const HostEvent& event) {
  const PayloadPlan plan(call.recorder(), place.domain, event.pieces, event.piece_count);
  const uint32_t bytes = static_cast<uint32_t>(sizeof(RecordHeader) + sizeof(RecordDetail)) +
                         AlignRecord(event.message.bytes()) + plan.bytes();
  std::byte* room = ReserveOrCount(call, bytes);
  if (room == nullptr) return false;
  plan.Write(WriteFront(room, place, event, bytes));
  call.thread().queue.Commit(bytes);
  return true;
}

}  // namespace slowtoken::nvtx
