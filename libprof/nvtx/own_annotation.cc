#include "nvtx/own_annotation.h"

#include "nvtx/naming.h"
#include "nvtx/range_calls.h"

namespace slowtoken::nvtx {
namespace {

Recorder* RecorderFor(const char* text) {
  return text == nullptr ? nullptr : g_recorder.load(std::memory_order_acquire);
}

uint16_t Llmserve(Recorder& recorder) { return DomainOf(OpenDomain(recorder, "llmserve")); }

HostEvent TextEvent(Recorder& recorder, uint16_t domain, const char* text) {
  HostEvent event;
  event.message = MeasureBytes(recorder, domain, text);
  return event;
}

}  // namespace

bool MarkAnnotation(const char* text) {
  Recorder* recorder = RecorderFor(text);
  if (recorder == nullptr) return false;
  HostCall call(*recorder);
  if (!call.recording()) return false;
  const uint16_t domain = Llmserve(*recorder);
  return WriteEvent(call, {Op::kMark, domain, 0, recorder->Stamp()}, TextEvent(*recorder, domain, text));
}

bool PushAnnotation(const char* text) {
  Recorder* recorder = RecorderFor(text);
  if (recorder == nullptr) return false;
  HostCall call(*recorder);
  const uint16_t domain = Llmserve(*recorder);
  if (!call.recording()) {
    PushUnrecorded(call, domain);
    return false;
  }
  Push(call, domain, TextEvent(*recorder, domain, text));
  return true;
}

void PopAnnotation() {
  Recorder* recorder = g_recorder.load(std::memory_order_acquire);
  if (recorder == nullptr) return;
  HostCall call(*recorder);
  if (call.has_thread()) Pop(call, Llmserve(*recorder), nullptr);
}

uint64_t StartAnnotation(const char* text) {
  Recorder* recorder = RecorderFor(text);
  if (recorder == nullptr) return 0;
  HostCall call(*recorder);
  if (!call.recording()) return 0;
  const uint16_t domain = Llmserve(*recorder);
  HostEvent event = TextEvent(*recorder, domain, text);
  return Start(call, domain, event);
}

void EndAnnotation(uint64_t id) {
  Recorder* recorder = g_recorder.load(std::memory_order_acquire);
  if (recorder == nullptr || id == 0) return;
  HostCall call(*recorder);
  HostEvent event;
  event.detail.id = id;
  End(call, Llmserve(*recorder), event);
}

}  // namespace slowtoken::nvtx
