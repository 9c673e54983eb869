#include "capture/pause_gate.h"

#include <algorithm>

namespace slowtoken::capture {

void PauseGate::Begin(base::TimeNs now) {
  ++count_;
  newest() = {.from = now, .to = kOpen, .before = highest_call_, .first = 0, .last = 0};
}

void PauseGate::End(base::TimeNs now) {
  if (count_ != 0) newest().to = now;
}

bool PauseGate::CalledInPause(const record::ApiCall& call) {
  for (Pause& pause : pauses_) {
    if (!pause.Covers(call.start)) continue;
    if (call.correlation == 0) return true;
    pause.first = pause.first == 0 ? call.correlation : std::min(pause.first, call.correlation);
    pause.last = std::max(pause.last, call.correlation);
    return true;
  }
  for (Pause& pause : pauses_) {
    if (pause.from != 0 && call.start < pause.from) pause.before = std::max(pause.before, call.correlation);
  }
  return false;
}

// The launch decides, by its correlation id: ids rise in a process. Work that began in a pause whose call has not been
// seen is of the pause unless its id is one from before.
bool PauseGate::LaunchedInPause(base::TimeNs start, record::CorrelationId id) const {
  for (const Pause& pause : pauses_) {
    if (pause.Has(id)) return true;
    if (pause.Covers(start) && (id == 0 || id > pause.before)) return true;
  }
  return false;
}

}  // namespace slowtoken::capture
