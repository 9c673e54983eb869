#include "scenario/host_pause.h"

#include <slowtoken/llmserve.h>

#include "scenario/busy.h"
#include "scenario/kinds.h"

namespace slowtoken::demo {

Interval PauseHost(int64_t variant, TimeNs length) {
  switch (variant) {
    case variant::kGc: {
      const llmserve::Scope range{llmserve::Work{LLMSERVE_GC, "generation 2"}};
      return Compute(length);
    }
    case variant::kStarved:
      return ComputeStarved(length);
    case variant::kThrottled:
      return ComputeThrottled(length);
    default:
      return WaitForLock(length);
  }
}

}  // namespace slowtoken::demo
