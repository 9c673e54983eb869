// DeviceTimeline: one device's busy and idle time (docs/METRICS.md, "Devices"), over the streams of all processes that
// used it. Busy: at least one kernel or graph replay ran. Idle: the rest between the first and the last GPU work, split
// into
//   copy        only copies or memsets ran
//   no_work     no request was in the system (only if requests are recorded)
//   host        the work that ends the interval was launched after the interval opened (its API call had not returned)
//   dependency  it was already launched and waited for another stream, an event or the node before it
//   unknown     the launch of the work that ends it was not recorded
// The five add up to idle_ns. Beside that: what launched the work that ended `host` intervals (LaunchPlaces), how much
// of the copies' time kernels ran beside them, how long two streams were busy, and what was lost between small kernels.
// Work comes joined with its call, a little out of order across streams: it is sorted between two Advances. About 60 ns
// a record. Single threaded. Memory is bounded: of the idle intervals only the longest stay until Finish(), to be cut
// by requests.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/interval_union.h"
#include "analysis/launch_places.h"
#include "analysis/stream_overlap.h"

namespace slowtoken::analysis {

struct IdleBy {
  uint64_t host = 0;
  uint64_t dependency = 0;
  uint64_t copy = 0;
  std::optional<uint64_t> no_work;
  uint64_t unknown = 0;
  bool operator==(const IdleBy&) const = default;
};

class DeviceTimeline {
 public:
  explicit DeviceTimeline(LaunchPlaces& places);

  // kReplay: a graph's replay as one record, whose inside is not known.
  enum class Kind : uint8_t { kCompute, kReplay, kCopy };
  struct Work {
    TimeNs start = 0, end = 0;
    EndedBy launch;  // the call behind it
    record::LaneId lane = 0;
    Kind kind = Kind::kCompute;
  };
  void Add(const Work& work) {
    pending_.push_back(work);
    if (pending_.size() == kMostPending) Settle();
  }

  // Work that is added from here on began later, or comes late.
  void Advance() {
    if (!pending_.empty()) Settle();
  }

  // After the last work, and before the places' ranges finish.
  void Close();

  // After both. `no_request` are the intervals, in order and disjoint, in which no request was in the system; nullopt
  // when requests are not recorded.
  void Finish(const std::optional<std::vector<IntervalUnion::Gap>>& no_request);

  // Valid after Finish().
  uint64_t busy_ns() const { return compute_.covered(); }
  uint64_t span_ns() const { return all_.empty() ? 0 : all_.last() - all_.first(); }
  uint64_t idle_ns() const { return span_ns() - busy_ns(); }
  TimeNs first() const { return all_.first(); }
  TimeNs last() const { return all_.last(); }
  const IdleBy& idle_by() const { return idle_by_; }

  // Time with copies or memsets, and how much of it kernels ran as well; time with two or more streams busy. nullopt
  // where replays were recorded as one: what ran inside them is not known.
  std::optional<uint64_t> copy_ns() const { return Told(copy_.covered()); }
  std::optional<uint64_t> copy_overlapped_ns() const { return Told(copy_.covered() + busy_ns() - all_.covered()); }
  std::optional<uint64_t> streams_overlap_ns() const { return Told(streams_.covered()); }

  // Idle intervals of at most kShortIdle that a small kernel ended (EndedBy::small).
  static constexpr uint64_t kShortIdle = 50'000;
  uint64_t lost_between_small_ns() const { return lost_between_small_ns_; }

  // The idle time for which the host is to blame, in order, without the time with no request; short intervals are left
  // out.
  struct HostIdle {
    TimeNs start = 0, end = 0;
    LaunchPlaces::Ticket ticket = 0;
  };
  const std::vector<HostIdle>& LongHostIdle() const { return host_idle_; }

 private:
  enum class Reason : uint8_t { kHost, kDependency, kUnknown };
  struct Idle {
    TimeNs start = 0;
    TimeNs end = 0;
    LaunchPlaces::Ticket ticket = 0;  // kHost
    Reason reason = Reason::kUnknown;
  };
  using Union = BasicIntervalUnion<EndedBy>;
  static constexpr size_t kMostPending = 1u << 20;
  static constexpr size_t kMostIdle = 1u << 20;

  std::optional<uint64_t> Told(uint64_t ns) const { return saw_replay_ ? std::nullopt : std::optional(ns); }
  void Settle();
  void OnGap(const Union::Gap& gap);
  void Count(Reason reason, uint64_t ns);
  void Count(const Idle& idle, uint64_t ns);
  void RaiseThreshold();

  LaunchPlaces* places_;
  std::vector<Work> pending_;
  Union all_;              // anything runs; its gaps are classified
  IntervalUnion compute_;  // a kernel or graph replay runs
  IntervalUnion copy_;     // a copy or memset runs
  StreamOverlap streams_;
  bool saw_replay_ = false;
  std::vector<Idle> idle_;  // at least keep_above_ long
  std::vector<HostIdle> host_idle_;
  uint64_t keep_above_ = 10'000;
  uint64_t lost_between_small_ns_ = 0;
  IdleBy idle_by_;
};

}  // namespace slowtoken::analysis
