// Resources and totals: kept as live state, which every chunk repeats.
#include "trace/chunk_encoder.h"

namespace slowtoken::trace {

void ChunkEncoder::On(const record::DeviceInfo& event) {
  if (!Awake()) return;
  live_.devices.Put(event, [&](const record::DeviceInfo& old) { return old.ordinal == event.ordinal; });
}

void ChunkEncoder::On(const record::ContextInfo& event) {
  if (!Awake()) return;
  live_.contexts.Put(event, [&](const record::ContextInfo& old) { return old.context == event.context; });
}

void ChunkEncoder::On(const record::StreamInfo& event) {
  if (!Awake()) return;
  live_.streams.Put(
      event, [&](const record::StreamInfo& old) { return old.stream == event.stream && old.context == event.context; });
}

void ChunkEncoder::On(const record::ThreadInfo& event) {
  if (!Awake()) return;
  live_.threads.Put(event, [&](const record::ThreadInfo& old) { return old.thread == event.thread; });
}

void ChunkEncoder::On(const record::NvtxDomainInfo& event) {
  if (!Awake()) return;
  live_.domains.Put(event, [&](const record::NvtxDomainInfo& old) { return old.domain == event.domain; });
}

void ChunkEncoder::On(const record::NvtxCategoryInfo& event) {
  if (!Awake()) return;
  live_.categories.Put(event, [&](const record::NvtxCategoryInfo& old) {
    return old.domain == event.domain && old.category == event.category;
  });
}

void ChunkEncoder::On(const record::SourceStatus& event) {
  if (!Awake()) return;
  live_.sources.PutLast(event, [&](const record::SourceStatus& old) {
    return old.source == event.source && old.state == event.state && old.time == event.time;
  });
}

void ChunkEncoder::On(const record::Condition& event) {
  if (!Awake()) return;
  live_.conditions.Put(event, [&](const record::Condition& old) { return old.name == event.name; });
}

void ChunkEncoder::TellState(record::EventVisitor& out) const {
  for (const auto& device : live_.devices.items()) out.On(device);
  for (const auto& source : live_.sources.items()) out.On(source);
  for (const auto& condition : live_.conditions.items()) out.On(condition);
  for (const auto& sample : live_.device_samples.items()) out.On(sample);
  if (live_.clock.monotonic != 0) out.On(live_.clock);
  if (live_.detail.time != 0) out.On(live_.detail);
}

void ChunkEncoder::On(const record::LossTotals& event) {
  if (!Awake()) return;
  live_.losses = event;
}

void ChunkEncoder::On(const record::CaptureTotals& event) {
  if (!Awake()) return;
  live_.totals = event;
}

}  // namespace slowtoken::trace
