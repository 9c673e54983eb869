// Oracle: what docs/ATTRIBUTION.md says about a log of events, worked out slowly and plainly: all events at once,
// standard containers, every pair looked at, no code of the engine. Tests compare the engine with it, number by number.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "event_log.h"
#include "record/dictionary.h"

namespace slowtoken::attribution::testing {

using record::TimeNs;

struct TimeRange {
  TimeNs start = 0;
  TimeNs end = 0;
};
using TimeRanges = std::vector<TimeRange>;

using OracleKey = std::tuple<uint32_t, uint32_t, uint64_t>;  // engine, dp_rank, iter

enum class OracleBatch { kNone, kKnown, kLost };

struct OracleIteration {
  std::optional<TimeRange> iter, schedule, forward, sample, update, all;
  std::set<std::pair<uint16_t, uint32_t>> threads;  // (process, thread) of iter and iter.schedule
  TimeRanges work, collectives, sampling, readback;
  std::set<std::string> devices;
  TimeNs first_launch = 0;
  uint32_t launches = 0, graph_launches = 0, kernels = 0;
  uint64_t flags = 0;
  OracleBatch batch = OracleBatch::kNone;
  std::map<record::RequestId, record::BatchRow> rows;

  bool dummy() const { return (flags & record::kFlagDummy) != 0; }
  std::optional<TimeRange> Gpu() const;  // hull of work and collectives
  TimeNs SampleEnd() const;              // 0 = nothing known
  uint64_t BusyNs() const;
  uint32_t PrefillRows() const;
};

struct OracleGap {
  uint64_t n = 0, n_new = 0;
  TimeNs start = 0;
  uint64_t gap_ns = 0;
  record::GapPhases phases{};
};

struct OracleRequest {
  bool has_ttft = false;
  uint64_t ttft_ns = 0;
  record::TtftPhases ttft_phases{};
  std::array<uint64_t, 7> queue_by{};
  uint64_t prefill_gpu_ns = 0, prefill_collective_ns = 0, prefill_idle_ns = 0;
  uint64_t tokens = 0;
  bool by_sends = false;
  uint64_t gpu_share_ns = 0;
  uint32_t iterations = 0;
  std::vector<OracleGap> gaps;
};

uint64_t UnionNs(TimeRanges ranges);

class Oracle {
 public:
  Oracle(const EventLog& log, const record::Dictionary& dictionary);

  const std::map<OracleKey, OracleIteration>& iterations() const { return iterations_; }
  OracleRequest Explain(record::RequestId req) const;
  const std::set<record::RequestId>& requests() const { return requests_; }

 private:
  struct Range {
    record::Annotation annotation;
    std::optional<OracleKey> key;
  };
  struct Call {
    TimeRange range;
    uint32_t thread = 0;
    bool counts = false, graph = false;
    std::optional<OracleKey> key;
    bool in_sample = false;
  };
  struct Emission {
    TimeNs instant = 0;
    std::optional<TimeNs> commit;
    uint64_t n = 0, n_new = 0;
    std::optional<OracleKey> yield;
  };
  struct Label {
    unsigned label = 0;
    TimeRange range;
  };
  struct Work {  // the own iterations of one TTFT or gap
    std::vector<OracleKey> keys;
    std::optional<OracleKey> yield;
  };

  // oracle_join.cc
  void ReadRanges(const EventLog& log);
  void ReadCalls(const EventLog& log);
  void JoinWork(const EventLog& log, const record::Dictionary& dictionary);
  void AddWork(const Call& call, const LoggedEvent& event, const record::Dictionary& dictionary);
  std::optional<OracleKey> KeyAround(uint16_t process, uint32_t thread, TimeNs from, TimeNs to, bool* in_sample) const;
  // oracle_batch.cc
  void ReadBatches(const EventLog& log);
  // oracle_phases.cc
  std::vector<Emission> Emissions(record::RequestId req, bool* by_sends) const;
  std::vector<OracleKey> OwnIterations(record::RequestId req) const;
  Work WorkBetween(record::RequestId req, const Emission* before, const Emission& emission) const;
  std::vector<Label> TtftLabels(record::RequestId req, TimeNs arrival, const Emission& first) const;
  std::vector<Label> GapLabels(record::RequestId req, const Emission& before, const Emission& emission) const;
  void AddEventLabels(record::RequestId req, TimeNs arrival, TimeNs queue_end, TimeNs end,
                      std::vector<Label>* labels) const;
  std::optional<TimeNs> FirstMark(record::RequestId req, record::AnnotationName name) const;
  TimeRanges PreemptedTimes(record::RequestId req, TimeNs end) const;
  std::optional<TimeNs> CommitOf(const std::optional<OracleKey>& yield) const;
  std::optional<TimeRange> SampleOf(const Work& work) const;
  std::optional<TimeRange> ForwardOf(const Work& work) const;
  bool HasGpu(const Work& work) const;
  bool SharesDevice(const Work& work, const OracleIteration& other) const;
  std::optional<TimeNs> FirstLaunch(const Work& work) const;

  std::vector<Range> ranges_;
  std::map<std::pair<uint16_t, uint32_t>, std::vector<Call>> calls_;  // by (process, correlation)
  std::map<OracleKey, OracleIteration> iterations_;
  std::map<record::RequestId, std::vector<record::Annotation>> events_;  // by start
  std::vector<record::Annotation> host_work_;
  std::set<record::RequestId> requests_;
  std::map<std::pair<uint16_t, uint32_t>, std::string> uuids_;
};

}  // namespace slowtoken::attribution::testing
