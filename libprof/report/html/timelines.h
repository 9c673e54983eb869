// Timelines: what happened in each of a few windows of time: requests, iterations, CPU threads, CUDA calls, streams,
// collectives. A visitor over the events of a trace, and another over what attribution concludes from them, in a
// reading after the one that found the windows (`slowtoken why` does the same for one). Single threaded, offline.
// Memory grows with the windows, not with the trace.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/request_texts.h"
#include "analysis/thread_roles.h"
#include "record/dictionary.h"
#include "record/visitor.h"
#include "report/html/slow_tokens.h"
#include "report/html/timeline_lane.h"
#include "report/html/timeline_names.h"
#include "report/json_parts.h"

namespace slowtoken::report::html {

class Timelines final : public record::EventVisitor {
 public:
  static constexpr size_t kMostRequests = 12;  // of a window; the others share its story
  static constexpr size_t kMostThreads = 12;   // of a window, the busiest
  static constexpr size_t kMostEvents = 5000;  // of a window

  // `origin`: from where the windows count. `processes`: what they are called, by their index.
  Timelines(const record::Dictionary& dictionary, record::TimeNs origin, const std::vector<Window>& windows,
            std::vector<std::string> processes = {});
  Timelines(const Timelines&) = delete;  // its part points to it
  Timelines& operator=(const Timelines&) = delete;

  using EventVisitor::On;
  void On(const record::Kernel& kernel) override;
  void On(const record::Memcpy& copy) override;
  void On(const record::Memset& set) override;
  void On(const record::GraphLaunch& graph) override;
  void On(const record::ApiCall& call) override;
  void On(const record::Annotation& annotation) override;
  void On(const record::NvtxDomainInfo& domain) override;
  void On(const record::NvtxRange& range) override;
  void On(const record::OffCpu& off) override;
  void On(const record::ThreadInfo& thread) override;
  void On(const record::RequestIdText& text) override;

  // For what was concluded, each once: the events of a trace hold what its process concluded alone.
  record::EventVisitor& conclusions() { return conclusions_; }

  // After the last event, once. [{"start_ns", "end_ns", "requests", "threads_left_out", "lanes": [{"group", "name",
  // "req", "left_out", "events": [start, length, name, …]}]}]: starts count from the window's, names index names().
  // `requests`: how many were slow in the window; `req`: of a request's lanes.
  Json ToJson();
  Json names() const { return names_.ToJson(); }

 private:
  class Conclusions final : public record::EventVisitor {
   public:
    explicit Conclusions(Timelines& all) : all_(&all) {}
    using EventVisitor::On;
    void On(const record::RequestSummary& summary) override { all_->Add(summary); }
    void On(const record::GapSummary& gap) override { all_->Add(gap); }
    void On(const record::IterationSummary& iteration) override { all_->Add(iteration); }

   private:
    Timelines* all_;
  };
  // In the order in which a page shows them. Collectives have lanes of their kernels, one below the other, so that the
  // one that begins last is seen, and of the calls that asked for them.
  enum class Group : uint8_t { kRequest, kIterations, kThread, kApi, kStream, kCollective, kCollectiveCall };
  // Groups whose things have a second lane below the first: what a request's tokens rested on, when a thread was off
  // the CPU, what an iteration had the GPU do.
  enum class Row : uint8_t { kMain, kBelow };
  // `id`: of a request its place in the window, of an iteration engine and dp rank, of a stream its lane.
  using LaneKey = std::tuple<Group, record::ProcessIndex, uint64_t, Row>;
  struct Moment {
    record::TimeNs start = 0, end = 0;
    std::vector<record::RequestId> reqs;
    size_t requests = 0, threads_left_out = 0;
    std::map<LaneKey, TimelineLane> lanes;
  };
  struct Span {
    record::TimeNs start = 0, end = 0;
  };

  template <typename NameOf>
  void Add(const LaneKey& key, Span span, NameOf name_of);
  template <typename NameOf>
  void AddToRequest(record::RequestId req, Row row, Span span, NameOf name_of);
  void Add(const record::RequestSummary& summary);
  void Add(const record::GapSummary& gap);
  void Add(const record::IterationSummary& iteration);
  void AddGpuWork(record::LaneId lane, Span span, uint32_t name);
  void AddRows(const record::IterationSummary& iteration);
  void AddWaits();
  void AddCollective(const record::NvtxRange& range);
  static void KeepBusiestThreads(Moment& moment);
  static size_t MostOfALane(const Moment& moment);
  std::string LaneName(const Moment& moment, const LaneKey& key) const;
  std::string RequestText(record::RequestId req) const;
  std::string ThreadText(record::ProcessIndex process, uint64_t thread) const;
  Json MomentJson(const Moment& moment) const;

  Conclusions conclusions_{*this};
  const record::Dictionary* dictionary_;
  record::TimeNs origin_;
  record::TimeNs first_ = UINT64_MAX, last_ = 0;  // of all windows
  std::vector<Moment> moments_;
  TimelineNames names_;
  std::vector<std::string> processes_;
  std::set<std::pair<record::ProcessIndex, record::DomainId>> collective_domains_;
  std::map<std::pair<record::ProcessIndex, record::ThreadId>, record::StringId> thread_names_;
  analysis::ThreadRoles roles_;
  analysis::RequestTexts request_texts_;  // of requests of windows
  // When requests of windows were queued, scheduled, preempted, resumed. In no order until the end.
  absl::flat_hash_map<record::RequestId, std::vector<std::pair<record::TimeNs, record::AnnotationName>>> marks_;
};

}  // namespace slowtoken::report::html
