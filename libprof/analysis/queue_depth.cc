#include "analysis/queue_depth.h"

#include <algorithm>

namespace slowtoken::analysis {

void QueueDepth::Add(TimeNs call_end, TimeNs gpu_start) {
  first_ = launches_ == 0 ? call_end : std::min(first_, call_end);
  last_ = std::max(last_, gpu_start);
  ++launches_;
  if (gpu_start <= call_end) return;
  waited_ns_ += gpu_start - call_end;
  changes_.push({call_end, 1});
  changes_.push({gpu_start, -1});
}

void QueueDepth::Run(TimeNs until) {
  while (!changes_.empty() && changes_.top().time <= until) {
    depth_ += changes_.top().step;
    most_ = std::max(most_, static_cast<uint64_t>(std::max<int64_t>(depth_, 0)));
    changes_.pop();
  }
}

void QueueDepth::Advance(TimeNs watermark) {
  if (IsTime(watermark) && watermark > kPatience) Run(watermark - kPatience);
}

void QueueDepth::Finish() { Run(kLastTime); }

double QueueDepth::mean() const {
  return last_ > first_ ? static_cast<double>(waited_ns_) / static_cast<double>(last_ - first_) : 0;
}

}  // namespace slowtoken::analysis
