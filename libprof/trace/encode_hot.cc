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
typename SiteTable<Site>::Entry& ChunkEncoder::EnterSite(SiteTable<Site>& sites, SiteRows<Site>& rows,
                                                         const Site& site) {
  auto* entry = sites.Guess();
  if (!sites.Is(*entry, site)) {
    const uint64_t hash = HashSite(site);
    entry = sites.Find(site, hash);
    if (entry == nullptr && sites.full()) {
      Continue();
      sites.Clear();
    }
    if (entry == nullptr) entry = sites.Add(site, hash);
  }
  if (!sites.HasNumber(*entry)) {
    if (!chunk_.HasRoom(0, NewTextBytes(chunk_, site), 0)) Continue();
    SiteValues<Site> values(chunk_);
    Columns<Site>::Each(site, values);
    rows.AddSite(values.get());
    sites.GiveNumber(*entry);
  }
  return *entry;
}

// Most events come where they came last time, and go through SiteRows' own loop.
template <typename Event, typename Site, typename EndBefore>
void ChunkEncoder::AddAtSites(std::span<const Event> events, SiteTable<Site>& sites, SiteRows<Site>& rows,
                              EndBefore end_before) {
  if (!Awake()) return;
  for (;;) {
    events = events.subspan(rows.AddFollowing(events, sites, end_before));
    if (rows.full()) WriteRows();
    if (events.empty()) return;
    const Event& event = events.front();
    auto* entry = sites.Guess();
    if (!sites.HasNumber(*entry) || !entry->site.IsPlaceOf(event)) entry = &EnterSite(sites, rows, Site::Of(event));
    rows.Add(event, sites, *entry, end_before(event));
    events = events.subspan(1);
  }
}

void ChunkEncoder::WriteRows() {
  chunk_.WriteRows();
  if (!chunk_.HasPages()) Continue();
}

void ChunkEncoder::On(const record::Kernel& event) { On(std::span(&event, 1)); }
void ChunkEncoder::On(const record::ApiCall& event) { On(std::span(&event, 1)); }

void ChunkEncoder::On(std::span<const record::Kernel> events) {
  AddAtSites(events, chunk_.kernel_sites, chunk_.kernel_rows,
             [ends = chunk_.lane_end](const record::Kernel& event) -> uint64_t& {
               return ends[event.lane < ends.size() ? event.lane : 0];
             });
}

void ChunkEncoder::On(std::span<const record::ApiCall> events) {
  AddAtSites(events, chunk_.api_call_sites, chunk_.api_call_rows,
             [this](const record::ApiCall&) -> uint64_t& { return chunk_.last_api_call_end; });
}

}  // namespace slowtoken::trace
