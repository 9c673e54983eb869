// Kernels, many at a time. One like those before costs about 95 instructions.
#include "cupti/decode.h"

namespace slowtoken::cupti {
namespace {

// The buffer was written by another thread long ago: asks for what comes with the next but one call.
void Prefetch(const KernelRecord* record) {
  constexpr size_t kLine = 64;
  const char* ahead = reinterpret_cast<const char*>(record + 64);
  for (size_t line = 0; line < sizeof(KernelRecord); line += kLine) __builtin_prefetch(ahead + line, 0, 2);
}

}  // namespace

void Decode(std::span<const KernelRecord* const> records, DecodeState& state, capture::CollectContext& context) {
  record::Kernel* next = state.kernels.data();
  for (const KernelRecord* r : records) {
    Prefetch(r);
    const Times times = state.times.Convert(r->start, r->end, context.clock, context.losses);
    next->start = times.start;
    next->end = times.end;
    next->graph_node_id = r->graphNodeId;
    next->graph_id = r->graphId;
    next->correlation = CorrelationOf(*r, state);
    next->process = 0;
    next->shape = state.shapes.ShapeOf(*r, context.dictionary, context.losses);
    next->lane = state.lanes.LaneOf(r->deviceId, r->contextId, r->streamId, context.dictionary);
    ++next;
  }
  state.totals.kernels += records.size();
  context.out.On(std::span<const record::Kernel>(state.kernels.data(), next));
}

}  // namespace slowtoken::cupti
