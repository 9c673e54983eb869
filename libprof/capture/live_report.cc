#include "capture/live_report.h"

namespace slowtoken::capture {

bool LiveReport::Init(base::Arena& arena, const record::Dictionary& dictionary, const record::Dictionary::Limits& names,
                      const trace::FileHeader& header) {
  trace::EncoderLimits limits;
  limits.texts = names.texts;
  limits.shapes = names.shapes;
  limits.lanes = names.lanes;
  limits.column_bytes = 128u << 10;  // what is more goes into a second chunk
  limits.text_bytes = 32u << 10;
  limits.kernel_sites = limits.api_call_sites = limits.requests = 16;
  return encoder_.Init(arena, dictionary, losses_, passage_, header, limits);
}

bool LiveReport::Write(Tell tell, void* self, bool histograms, trace::Sink& sink) {
  passage_.behind = &sink;
  passage_.refused = false;
  encoder_.Restart();
  tell(self, encoder_, histograms);
  encoder_.Finish();
  passage_.behind = nullptr;
  return !passage_.refused;
}

}  // namespace slowtoken::capture
