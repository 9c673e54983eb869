// SiteRows: events at sites (kernels, API calls) and the sites themselves on their way into the columns. Part of
// ChunkBuilder (worker thread). About 35 instructions an event to gather, 15 to write.
#pragma once

#include <algorithm>

#include "trace/columns.h"
#include "trace/gathered_columns.h"
#include "trace/site_table.h"

namespace slowtoken::trace {

template <typename Site>
class SiteRows {
 public:
  using Sites = SiteTable<Site>;

  bool full() const { return events_.room() == 0 || sites_.room() == 0; }

  // Gathers events for as long as each is at the site that followed last time and there is room; returns how many.
  // end_before(event): the end of the event that its start is coded against, which becomes its own.
  template <typename Event, typename EndBefore>
  [[gnu::noinline]] size_t AddFollowing(std::span<const Event> events, Sites& sites, EndBefore end_before) {
    const Event* event = events.data();
    const Event* const last = event + std::min(events.size(), events_.room());
    typename Sites::Walk walk = sites.walk();
    uint64_t correlation = last_correlation_;
    uint64_t* row = events_.next();
    for (; event != last; ++event, ++row) {
      auto* entry = walk.Guess();
      if (!sites.HasNumber(*entry) || !entry->site.IsPlaceOf(*event)) break;
      Stage(row, *event, *entry, walk.Follow(entry), end_before(*event), correlation);
    }
    sites.GoOn(walk);
    last_correlation_ = correlation;
    const auto taken = static_cast<size_t>(event - events.data());
    events_.Take(taken);
    return taken;
  }

  // One event, at an entry of its table that has a number. There must be room.
  template <typename Event>
  void Add(const Event& event, Sites& sites, typename Sites::Entry& entry, uint64_t& end_before) {
    Stage(events_.next(), event, entry, sites.Step(entry), end_before, last_correlation_);
    events_.Take(1);
  }

  // A site, the columns of which have these values. There must be room.
  void AddSite(std::span<const uint64_t, Columns<Site>::kCount - kFirstSiteColumn + 1> values) {
    uint64_t* row = sites_.next();
    for (size_t c = 0; c < values.size(); ++c) {
      row[c * decltype(sites_)::kRows] = values[c] - last_site_[c];
      last_site_[c] = values[c];
    }
    sites_.Take(1);
  }

  // Moves what was gathered to `columns`, those of the kind's batch; takes at most two pages a column.
  void Write(ColumnStore& store, Column* columns) {
    events_.Write(store, columns);
    sites_.Write(store, columns + kFirstSiteColumn - 1);
  }

  void Reset() {
    events_.Reset();
    sites_.Reset();
    last_correlation_ = 0;
    last_site_ = {};
  }

 private:
  static constexpr size_t kEventColumns = kFirstSiteColumn - 1, kSiteColumns = Columns<Site>::kCount - kEventColumns;
  static_assert(kSiteColumn == 1 && kGapColumn == 2 && kDurationColumn == 3 && kCorrelationColumn == 4);

  template <typename Event, typename Entry>
  static void Stage(uint64_t* row, const Event& event, Entry& entry, uint64_t step, uint64_t& end_before,
                    uint64_t& correlation) {
    constexpr size_t kRows = GatheredColumns<kEventColumns>::kRows;
    const uint64_t duration = event.end - event.start;
    row[(kSiteColumn - 1) * kRows] = step;
    row[(kGapColumn - 1) * kRows] = event.start - end_before;
    row[(kDurationColumn - 1) * kRows] = duration - entry.last_duration;
    row[(kCorrelationColumn - 1) * kRows] = event.correlation - correlation;
    end_before = event.end;
    entry.last_duration = duration;
    correlation = event.correlation;
  }

  uint64_t last_correlation_ = 0;
  std::array<uint64_t, kSiteColumns> last_site_{};
  GatheredColumns<kEventColumns> events_;
  GatheredColumns<kSiteColumns> sites_;
};

}  // namespace slowtoken::trace
