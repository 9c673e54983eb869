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

size_t NewTextBytes(const ChunkBuilder& chunk, const KernelSite& site) { return chunk.NewShapeTextBytes(site.shape); }
size_t NewTextBytes(const ChunkBuilder& chunk, const ApiCallSite& site) { return chunk.NewTextBytes(site.name); }

}  // namespace

// The entry of a site that was not guessed or is new to the chunk, which may have to begin anew for it.
template <typename Site>
uint32_t ChunkEncoder::EnterSite(SiteTable<Site>& sites, Batch<Site>& batch, const Site& site) {
  uint32_t entry = sites.Guess();
  if (!sites.Is(entry, site)) {
    const uint64_t hash = HashSite(site);
    entry = sites.Find(site, hash);
    if (entry == sites.kNone && sites.full()) {
      Continue();
      sites.Clear();
    }
    if (entry == sites.kNone) entry = sites.Add(site, hash);
  }
  if (!sites.HasNumber(entry)) {
    if (!chunk_.HasRoom(0, NewTextBytes(chunk_, site), 0)) Continue();
    chunk_.AddRow(batch, site, kFirstSiteColumn);
    sites.GiveNumber(entry);
  }
  return entry;
}

void ChunkEncoder::WriteRows() {
  chunk_.WriteRows();
  if (!chunk_.HasPages()) Continue();
}

void ChunkEncoder::On(const record::Kernel& event) { On(std::span(&event, 1)); }
void ChunkEncoder::On(const record::ApiCall& event) { On(std::span(&event, 1)); }

void ChunkEncoder::On(std::span<const record::Kernel> events) {
  if (!Awake()) return;
  SiteTable<KernelSite>& sites = chunk_.kernel_sites;
  for (const record::Kernel& event : events) {
    uint32_t entry = sites.Guess();
    if (!sites.IsPlaceOf(entry, event)) [[unlikely]] {
      entry = EnterSite(sites, chunk_.columns.kernels, KernelSite::Of(event));
    }
    uint64_t& lane_end = chunk_.lane_end[event.lane < chunk_.lane_end.size() ? event.lane : 0];
    const uint64_t gap = event.start - lane_end;
    const uint64_t duration = event.end - event.start;
    lane_end = event.end;
    chunk_.kernel_rows.Add(sites.Step(entry), gap, sites.DurationChange(entry, duration), event.correlation);
    if (chunk_.kernel_rows.full()) WriteRows();
  }
}

void ChunkEncoder::On(std::span<const record::ApiCall> events) {
  if (!Awake()) return;
  SiteTable<ApiCallSite>& sites = chunk_.api_call_sites;
  for (const record::ApiCall& event : events) {
    uint32_t entry = sites.Guess();
    if (!sites.IsPlaceOf(entry, event)) [[unlikely]] {
      entry = EnterSite(sites, chunk_.columns.api_calls, ApiCallSite::Of(event));
    }
    const uint64_t gap = event.start - chunk_.last_api_call_end;
    const uint64_t duration = event.end - event.start;
    chunk_.last_api_call_end = event.end;
    chunk_.api_call_rows.Add(sites.Step(entry), gap, sites.DurationChange(entry, duration), event.correlation);
    if (chunk_.api_call_rows.full()) WriteRows();
  }
}

}  // namespace slowtoken::trace
