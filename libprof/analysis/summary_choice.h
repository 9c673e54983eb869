// SummaryChoice: of two conclusions about one request or iteration, the better one. What the engine computes while
// reading knows all processes, but only as far as their detail was kept; what a process wrote down while it ran knows
// that process alone, but all of its life. So the computed one counts where every process has full detail from the
// request's arrival to its end, else the recorded one, else the computed one after all. Used by `slowtoken report`.
// Single threaded, offline. Memory: what was recorded and is not covered by detail, about 250 bytes a gap.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <map>
#include <tuple>
#include <vector>

#include "reader/process_info.h"
#include "record/visitor.h"

namespace slowtoken::analysis {

class SummaryChoice {
 public:
  // `processes` is that of the TraceSet being read: it says how far the detail reaches. What is chosen goes to `out`.
  SummaryChoice(const std::vector<reader::ProcessInfo>& processes, record::EventVisitor& out)
      : processes_(&processes), out_(&out), computed_(*this), recorded_(*this) {}
  SummaryChoice(const SummaryChoice&) = delete;  // its parts point to it
  SummaryChoice& operator=(const SummaryChoice&) = delete;

  record::EventVisitor& computed() { return computed_; }  // for the engine that reads
  record::EventVisitor& recorded() { return recorded_; }  // for the events of the trace

  // After both: hands out what waited for the end.
  void Finish();

 private:
  class Computed final : public record::EventVisitor {
   public:
    explicit Computed(SummaryChoice& all) : all_(&all) {}
    using EventVisitor::On;
    void On(const record::RequestSummary& summary) override { all_->AddComputed(summary); }
    void On(const record::GapSummary& gap) override { all_->computed_gaps_[gap.req].push_back(gap); }
    void On(const record::IterationSummary& summary) override;

   private:
    SummaryChoice* all_;
  };
  class Recorded final : public record::EventVisitor {
   public:
    explicit Recorded(SummaryChoice& all) : all_(&all) {}
    using EventVisitor::On;
    void On(const record::RequestSummary& summary) override;
    void On(const record::GapSummary& gap) override;
    void On(const record::IterationSummary& summary) override;
    void On(const record::DetailChange& change) override;

   private:
    SummaryChoice* all_;
  };
  // A request as one process, or the reading engine, concluded it.
  struct Version {
    record::RequestSummary summary;
    std::vector<record::GapSummary> gaps;
    bool summarised = false;
  };
  using Key = std::tuple<uint32_t, uint32_t, uint64_t>;  // of an iteration

  bool Covered(record::TimeNs start, record::TimeNs end) const;
  void AddComputed(const record::RequestSummary& summary);
  void HandOut(const Version& version);
  static bool Better(const Version& a, const Version& b);
  static void Merge(record::IterationSummary& into, const record::IterationSummary& other);

  const std::vector<reader::ProcessInfo>* processes_;
  record::EventVisitor* out_;
  Computed computed_;
  Recorded recorded_;
  struct Level {
    record::DetailChange newest;
    record::TimeNs since = 0;  // all this time full, or all this time less than full
  };
  std::map<record::ProcessIndex, Level> levels_;                                           // the newest of each process
  absl::flat_hash_map<record::RequestId, std::vector<record::GapSummary>> computed_gaps_;  // of requests not yet over
  absl::flat_hash_set<record::RequestId> handed_out_;
  absl::flat_hash_map<record::RequestId, Version> uncovered_;  // computed without all detail
  std::map<std::pair<record::RequestId, record::ProcessIndex>, Version> by_process_;
  std::map<Key, record::IterationSummary> iterations_;  // recorded, not covered; without rows
};

}  // namespace slowtoken::analysis
