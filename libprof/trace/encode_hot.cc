// The two kinds of event that come by the hundred thousand: kernels and the API calls that launch them.
#include "base/hash.h"
#include "trace/chunk_encoder.h"

namespace slowtoken::trace {
namespace {

uint64_t HashSite(const KernelSite& s) {
  return base::MixHash(s.graph_node_id ^ (static_cast<uint64_t>(s.shape) << 40) ^
                       (static_cast<uint64_t>(s.lane) << 20) ^ s.graph_id);
}

uint64_t HashSite(const ApiCallSite& s) {
  return base::MixHash((static_cast<uint64_t>(s.thread) << 32 | s.cbid) ^ (static_cast<uint64_t>(s.name) << 16) ^
                       (ToWire(s.return_value) << 48) ^ (ToWire(s.domain) << 31) ^ (s.captured ? 1u << 30 : 0) ^
                       (ToWire(s.api_class) << 26));
}

}  // namespace

// The site of a kernel that is not the one guessed. A new one is added to the chunk, which may have to begin anew
// first.
uint32_t ChunkEncoder::NewKernelSite(const KernelSite& site) {
  const uint64_t hash = HashSite(site);
  if (const uint32_t found = chunk_.kernel_sites.Find(site, hash); found != SiteTable<KernelSite>::kNone) return found;
  const size_t text_bytes = chunk_.NewShapeTextBytes(site.shape);
  if (chunk_.kernel_sites.full() || !chunk_.HasRoom(0, text_bytes, 0)) {
    Seal(nullptr);
    pending_ = true;
  }
  chunk_.AddRow(chunk_.columns.kernels, site, kFirstSiteColumn);
  return chunk_.kernel_sites.Add(site, hash);
}

void ChunkEncoder::On(const record::Kernel& event) {
  if (!ReadyForOne()) return;
  const KernelSite site{event.shape, event.lane, event.graph_id, event.graph_node_id};
  uint32_t index = chunk_.last_kernel_site + 1;
  if (!chunk_.kernel_sites.Is(index, site)) index = NewKernelSite(site);

  Column* columns = chunk_.columns.kernels.columns;
  columns[kSiteColumn - 1].any |= 1;
  chunk_.store.Put(columns[kSiteColumn - 1], ZigZag(uint64_t{index} - (chunk_.last_kernel_site + 1)));
  chunk_.last_kernel_site = index;

  uint64_t& lane_end = chunk_.lane_end[event.lane < chunk_.lane_end.size() ? event.lane : 0];
  chunk_.store.Put(columns[kGapColumn - 1], ZigZag(event.start - lane_end));
  lane_end = event.end;

  uint64_t& last_duration = chunk_.kernel_sites.last_duration(index);
  const uint64_t duration = event.end - event.start;
  chunk_.store.Put(columns[kDurationColumn - 1], ZigZag(duration - last_duration));
  last_duration = duration;

  chunk_.store.PutDelta(columns[kCorrelationColumn - 1], event.correlation);
}

uint32_t ChunkEncoder::NewApiCallSite(const ApiCallSite& site) {
  const uint64_t hash = HashSite(site);
  if (const uint32_t i = chunk_.api_call_sites.Find(site, hash); i != SiteTable<ApiCallSite>::kNone) return i;
  if (chunk_.api_call_sites.full() || !chunk_.HasRoom(0, chunk_.NewTextBytes(site.name), 0)) {
    Seal(nullptr);
    pending_ = true;
  }
  chunk_.AddRow(chunk_.columns.api_calls, site, kFirstSiteColumn);
  return chunk_.api_call_sites.Add(site, hash);
}

void ChunkEncoder::On(const record::ApiCall& event) {
  if (!ReadyForOne()) return;
  const ApiCallSite site{event.cbid,   event.domain, event.api_class,   event.captured,
                         event.thread, event.name,   event.return_value};
  uint32_t index = chunk_.last_api_call_site + 1;
  if (!chunk_.api_call_sites.Is(index, site)) {
    const uint32_t last = chunk_.last_api_call_site;  // most often the same call again
    index = chunk_.api_call_sites.Is(last, site) ? last : NewApiCallSite(site);
  }

  Column* columns = chunk_.columns.api_calls.columns;
  columns[kSiteColumn - 1].any |= 1;
  chunk_.store.Put(columns[kSiteColumn - 1], ZigZag(uint64_t{index} - (chunk_.last_api_call_site + 1)));
  chunk_.last_api_call_site = index;

  chunk_.store.Put(columns[kGapColumn - 1], ZigZag(event.start - chunk_.last_api_call_end));
  chunk_.last_api_call_end = event.end;

  uint64_t& last_duration = chunk_.api_call_sites.last_duration(index);
  const uint64_t duration = event.end - event.start;
  chunk_.store.Put(columns[kDurationColumn - 1], ZigZag(duration - last_duration));
  last_duration = duration;

  chunk_.store.PutDelta(columns[kCorrelationColumn - 1], event.correlation);
}

}  // namespace slowtoken::trace
