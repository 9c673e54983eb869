#include "nvtx/own_mark.h"

#include "nvtx/naming.h"
#include "nvtx/range_calls.h"

namespace slowtoken::nvtx {

bool MarkOwn(const char* text) {
  Recorder* recorder = g_recorder.load(std::memory_order_acquire);
  if (recorder == nullptr || text == nullptr) return false;
  HostCall call;
  if (!call.recording()) return false;
  const uint16_t domain = DomainOf(OpenDomain(*recorder, "slowtoken"));
  HostEvent event;
  event.message = MeasureBytes(*recorder, domain, text);
  return WriteEvent(call, {Op::kMark, domain, 0, recorder->Stamp()}, event);
}

}  // namespace slowtoken::nvtx
