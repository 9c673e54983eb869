#include "attribution/own_work.h"

namespace slowtoken::attribution {
namespace {

TimeNs Earlier(TimeNs a, TimeNs b) { return a == 0 ? b : (b == 0 ? a : std::min(a, b)); }

}  // namespace

void Summarise(const IntervalPool& intervals, OwnWork* own) {
  for (const OwnEntry& entry : own->entries) {
    const Iteration& iteration = *entry.iteration;
    own->device_mask |= iteration.device_mask;
    if (iteration.has_gpu()) {
      own->has_gpu = true;
      own->first_gpu = Earlier(own->first_gpu, iteration.gpu.start);
      own->last_gpu = std::max(own->last_gpu, iteration.gpu.end);
    }
    if (iteration.forward.known()) own->first_forward = Earlier(own->first_forward, iteration.forward.start);
    own->first_launch = Earlier(own->first_launch, iteration.first_launch);
  }
  if (own->yield == nullptr) return;
  const Iteration& yield = *own->yield;
  own->sample_end = yield.sealed ? std::max(yield.sample_end, yield.sample.end) : SampleEndOf(yield, intervals);
}

Span SampleOf(const OwnWork& own) {
  if (own.yield == nullptr) return {};
  if (!own.yield->has_gpu()) return own.yield->sample;
  return {own.yield->gpu.end, std::max(own.sample_end, own.yield->gpu.end)};
}

Span ForwardOf(const OwnWork& own) {
  if (own.first_forward == 0 || own.yield == nullptr) return {};
  const TimeNs end = own.yield->sample.known() ? own.yield->sample.start : own.yield->forward.end;
  return {own.first_forward, end};
}

}  // namespace slowtoken::attribution
