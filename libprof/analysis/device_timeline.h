// DeviceTimeline: one device's busy and idle time (docs/METRICS.md, "Devices"), over the streams of all processes that
// used it. Busy: at least one kernel or graph replay ran. Idle: the rest between the first and the last GPU work, split
// into
//   copy        only copies or memsets ran
//   no_work     no request was in the system (only if requests are recorded)
//   host        the work that ends the interval was launched after the interval opened (its API call had not returned)
//   dependency  it was already launched and waited for another stream, an event or the node before it
//   unknown     the launch of the work that ends it was not recorded
// The five add up to idle_ns. Work comes joined with its call, a little out of order across streams: it is sorted
// between two Advances. About 20 ns a record.
// Single threaded. Memory is bounded: of the idle intervals only the longest stay until Finish(), to be cut by
// requests.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/interval_union.h"

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
  DeviceTimeline();

  enum class Work : uint8_t { kCompute, kCopy };
  // `call_end`: when the call that launched it returned; 0 = it was not recorded.
  void Add(TimeNs start, TimeNs end, Work work, TimeNs call_end) {
    pending_.push_back({start, end, call_end, work});
    if (pending_.size() == kMostPending) Settle();
  }

  // Work that is added from here on began later, or comes late.
  void Advance() {
    if (!pending_.empty()) Settle();
  }

  // After the last work. `no_request` are the intervals, in order and disjoint, in which no request was in the system;
  // nullopt when requests are not recorded.
  void Finish(const std::optional<std::vector<IntervalUnion::Gap>>& no_request);

  // Valid after Finish().
  uint64_t busy_ns() const { return compute_.covered(); }
  uint64_t span_ns() const { return all_.empty() ? 0 : all_.last() - all_.first(); }
  uint64_t idle_ns() const { return span_ns() - busy_ns(); }
  const IdleBy& idle_by() const { return idle_by_; }

 private:
  struct Record {
    TimeNs start = 0;
    TimeNs end = 0;
    TimeNs call_end = 0;
    Work work = Work::kCompute;
  };
  enum class Reason : uint8_t { kHost, kDependency, kUnknown };
  struct Idle {
    TimeNs start = 0;
    TimeNs end = 0;
    Reason reason = Reason::kUnknown;
  };
  static constexpr size_t kMostPending = 1u << 20;
  static constexpr size_t kMostIdle = 1u << 20;

  void Settle();
  void OnGap(const IntervalUnion::Gap& gap);
  void Count(Reason reason, uint64_t ns);
  void RaiseThreshold();

  std::vector<Record> pending_;
  IntervalUnion all_;       // anything runs; its tags are when the call returned; its gaps are classified
  IntervalUnion compute_;   // a kernel or graph replay runs
  std::vector<Idle> idle_;  // at least keep_above_ long
  uint64_t keep_above_ = 10'000;
  IdleBy idle_by_;
};

}  // namespace slowtoken::analysis
