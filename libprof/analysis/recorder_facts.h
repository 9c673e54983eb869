// RecorderFacts: what the recorders of all processes said about themselves: losses, silent sources, blind time, own
// cost, clocks. Few events, kept by process; the newest totals win. Single threaded.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "attribution/blind_intervals.h"
#include "base/arena.h"
#include "base/loss.h"
#include "record/detail_events.h"
#include "record/dictionary.h"
#include "record/session_events.h"
#include "record/thread_states.h"

namespace slowtoken::analysis {

struct SourceFact {
  record::ProcessIndex process = 0;
  record::Source source = record::Source::kCupti;
  record::SourceState state = record::SourceState::kUnknown;
  int32_t error = 0;
  uint32_t version = 0;
  std::string detail;  // safe
  record::TimeNs time = 0;
};

const char* SourceName(record::Source source);           // cupti, nvtx, nccl
const char* SourceStateName(record::SourceState state);  // active, not_found, …

// Own cost as a part of one CPU: of the time from `start`, when recording began in that process, to when it was told.
// nullopt where less than a second had passed. `report`, `ctl status` and the budget mean the same by it.
std::optional<double> OwnShare(const record::OwnCost& cost, record::TimeNs start);

class RecorderFacts {
 public:
  explicit RecorderFacts(const record::Dictionary& dictionary);
  RecorderFacts(const RecorderFacts&) = delete;
  RecorderFacts& operator=(const RecorderFacts&) = delete;
  ~RecorderFacts() { arena_.Release(); }

  void Add(const record::LossTotals& totals) { losses_[totals.process] = totals.counts; }
  void Add(const record::SourceStatus& status);
  void Add(const record::OwnCost& cost) { costs_[cost.process] = cost; }
  void Add(const record::CaptureTotals& totals) { totals_[totals.process] = totals; }
  void Add(const record::ClockSnapshot& snapshot);
  void Add(const record::Advance& advance);
  void Add(const record::DetailChange& change);
  void Add(const record::Trigger& trigger);
  void Add(const record::CpuSample&) { saw_thread_states_ = true; }

  bool saw_thread_states() const { return saw_thread_states_; }
  bool saw_own_cost() const { return !costs_.empty(); }
  uint64_t Lost(base::Loss cause) const;                                                       // over all processes
  const std::vector<record::DetailChange>& detail_changes() const { return detail_changes_; }  // each once
  const std::vector<record::Trigger>& triggers() const { return triggers_; }  // each once, in order of arrival
  std::vector<SourceFact> Sources() const;  // the newest state of each source of each process
  // Time in which GPU records were not taken, by record::BlindReason, over all processes: from a status with a reason
  // to the next active one without, else to the end.
  std::array<uint64_t, record::kBlindReasonCount> BlindBy() const;
  uint64_t BlindNs() const;  // all reasons together
  uint64_t WorkerCpuNs() const;
  uint64_t FlushCpuNs() const;
  uint64_t CuptiOverheadNs() const;
  uint64_t CallbackNs() const;
  uint64_t MemoryBytes() const;
  // The newest of each process.
  const std::map<record::ProcessIndex, record::OwnCost>& costs() const { return costs_; }
  uint64_t WallNs() const;                // time that was read, added up over the processes
  record::CaptureTotals Counted() const;  // as the recorders counted, whatever was kept of it
  const record::ClockSnapshot* FirstSnapshot() const { return has_snapshot_ ? &first_snapshot_ : nullptr; }
  record::TimeNs first_time() const { return first_time_; }  // least start of a process
  record::TimeNs last_time() const { return last_time_; }    // greatest watermark

 private:
  struct Span {
    record::TimeNs first = 0;
    record::TimeNs last = 0;
  };
  template <typename Events, typename Member>
  static uint64_t Sum(const Events& events, Member member);

  const record::Dictionary* dictionary_;
  std::map<record::ProcessIndex, std::array<uint64_t, base::kLossCount>> losses_;
  std::map<std::pair<record::ProcessIndex, record::Source>, SourceFact> sources_;
  base::Arena arena_;  // of blind_
  attribution::BlindIntervals blind_;
  std::map<record::ProcessIndex, record::OwnCost> costs_;
  std::map<record::ProcessIndex, record::CaptureTotals> totals_;
  std::map<record::ProcessIndex, Span> spans_;
  std::vector<record::DetailChange> detail_changes_;
  std::vector<record::Trigger> triggers_;
  record::ClockSnapshot first_snapshot_;
  bool has_snapshot_ = false, saw_thread_states_ = false;
  record::TimeNs first_time_ = 0, last_time_ = 0;
};

}  // namespace slowtoken::analysis
