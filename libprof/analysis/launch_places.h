// LaunchPlaces: who launched: sums of durations by launching thread and the innermost range open on it at the launch.
// Two tables over the same places: the GPU's idle time that the place's launches ended, and the delay of its launches.
// What is added is in the tables after Finish. Single threaded; about 100 ns an addition. At most kMostPlaces places;
// ranges beyond share one place a thread.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <vector>

#include "analysis/ended_by.h"
#include "analysis/host_ranges.h"
#include "analysis/log_histogram.h"

namespace slowtoken::analysis {

inline constexpr RangeName kOtherRanges = ~RangeName{0};

class LaunchPlaces {
 public:
  enum Table : uint32_t { kIdle, kDelay };

  void Add(Table table, const EndedBy& launch, uint64_t ns) { ranges_.Ask(QuestionOf(launch, ns, table)); }

  // For idle time of which it is known later how much counts: a ticket for AddIdle.
  using Ticket = uint32_t;
  Ticket TicketFor(const EndedBy& launch);
  void AddIdle(Ticket ticket, uint64_t ns);

  HostRanges& ranges() { return ranges_; }

  struct Place {
    uint64_t thread = 0;  // attribution::ThreadKey
    RangeName range = kNoRange;
    LogHistogram ns[2];  // by Table
  };
  // After ranges().Finish().
  const std::vector<Place>& places() const { return places_; }
  // The index of a ticket's place.
  uint32_t PlaceOf(Ticket ticket) const { return tickets_[ticket].place; }

 private:
  static constexpr uint32_t kTicket = 2;  // the purpose of a question whose value is a ticket
  static constexpr uint32_t kUnknown = ~0u;
  static constexpr size_t kMostPlaces = 10'000;
  struct OpenTicket {
    uint32_t place = kUnknown;
    uint64_t ns = 0;  // until the place is known
    bool added = false;
  };
  static HostRanges::Question QuestionOf(const EndedBy& launch, uint64_t value, uint32_t purpose);
  void OnAnswer(const HostRanges::Question& question, RangeName name);
  uint32_t FindPlace(uint64_t thread, RangeName range);

  HostRanges ranges_{[this](const HostRanges::Question& question, RangeName name) { OnAnswer(question, name); }};
  absl::flat_hash_map<std::pair<uint64_t, RangeName>, uint32_t> index_;
  std::vector<Place> places_;
  std::vector<OpenTicket> tickets_;
};

}  // namespace slowtoken::analysis
