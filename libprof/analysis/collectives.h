// Collectives: which rank came late to each collective, and how long the others waited for it. A rank is a device of a
// process. The kernels of a collective end on all its ranks at about the same moment, so the one that ran the shortest
// came last, and the others waited as much as they ran longer: that needs no common clock. What belongs together is
// said by imported traces (communicator and number); else kernels of one name that end together are one collective,
// which does need one clock: ranks on several hosts are not told then. Of collectives with a root, and of copies from
// rank to rank, nobody waits for all: they are only counted. Fed with what attribution joins
// (attribution/join_visitor.h) by TraceAnalysis; ask after Finish. Single threaded, offline. About 100 ns a collective;
// memory for those of the last seconds, and for all that an import says.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/log_histogram.h"
#include "attribution/gpu_record.h"
#include "record/dictionary.h"
#include "record/nvtx_events.h"
#include "record/resources.h"

namespace slowtoken::analysis {

class Collectives {
 public:
  explicit Collectives(const record::Dictionary& dictionary) : dictionary_(&dictionary) {}

  // Of any GPU work; what is no collective is left alone.
  void AddWork(const attribution::GpuRecord& record);
  // What an import says of a collective's kernel stands in ranges of a domain of their own.
  void Add(const record::NvtxDomainInfo& domain);
  void Add(const record::NvtxRange& range);
  // All work that ended before this has been told.
  void Settle(base::TimeNs told_until);
  // After the last, once.
  void Finish();

  struct Rank {
    uint64_t collectives = 0;      // of those that were matched
    uint64_t total_ns = 0;         // its kernels of them
    uint64_t late = 0;             // came last, by more than kTogether
    uint64_t waited_ns = 0;        // for others
    uint64_t kept_waiting_ns = 0;  // how long the others waited for it, added up over them
  };
  using RankId = std::pair<record::ProcessIndex, uint32_t>;       // the device by its ordinal
  const std::map<RankId, Rank>& ranks() const { return ranks_; }  // with any collective
  uint64_t matched() const { return longest_wait_.count(); }      // seen on two ranks or more
  uint64_t by_time() const { return by_time_; }                   // of them those that nobody named
  uint64_t partial() const { return partial_; }                   // of them those with ranks that are not in the trace
  uint64_t alone() const { return alone_; }                       // seen on one rank
  uint64_t one_sided() const { return one_sided_; }
  const LogHistogram& longest_wait() const { return longest_wait_; }  // of each matched one

  // The kernels of one collective end within this, and nobody is late by less.
  static constexpr uint64_t kTogether = 20'000;

 private:
  struct Part {
    base::TimeNs start = 0, end = 0;
    record::StringId name = 0;
    RankId rank;
  };
  // Communicator by name and by ranks, the number in it, the operation.
  using Said = std::tuple<record::StringId, record::StringId, uint64_t, record::StringId>;
  struct SaidParts {
    std::vector<Part> parts;
    uint64_t ranks = 0;  // that the communicator has; 0 = not said
  };
  using Span = std::tuple<RankId, base::TimeNs, base::TimeNs>;

  bool AllWaitFor(record::StringId name);
  void Meet(const Part& part);
  bool Judge(const std::vector<Part>& parts);
  static bool Holds(const std::vector<Part>& parts, RankId rank);

  const record::Dictionary* dictionary_;
  absl::flat_hash_map<record::StringId, bool> all_wait_;
  std::set<std::pair<record::ProcessIndex, record::DomainId>> domains_;
  std::map<Said, SaidParts> said_;
  absl::flat_hash_set<Span> told_;                                 // kernels that an import speaks of
  std::vector<Part> parts_;                                        // not settled
  absl::flat_hash_map<record::StringId, std::vector<Part>> open_;  // by name: what may still get a part
  std::map<RankId, Rank> ranks_;
  LogHistogram longest_wait_;
  uint64_t by_time_ = 0, partial_ = 0, alone_ = 0, one_sided_ = 0;
};

}  // namespace slowtoken::analysis
