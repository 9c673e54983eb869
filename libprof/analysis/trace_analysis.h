// TraceAnalysis: everything a report says that is not a request, a gap or an iteration: launches, devices, kernels,
// losses, own cost. One visitor over the events of all processes in one pass, and over what attribution joins in the
// same pass (Engine::Tell): which launch started which GPU work is found out there, once. Read the parts after
// Finish(). Single threaded, offline. A kernel costs about 40 ns here; memory does not grow with the number of kernels.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "analysis/captured_ranges.h"
#include "analysis/collectives.h"
#include "analysis/device_clocks.h"
#include "analysis/devices.h"
#include "analysis/graph_builds.h"
#include "analysis/graph_nodes.h"
#include "analysis/inferred_iterations.h"
#include "analysis/kernel_table.h"
#include "analysis/launch_places.h"
#include "analysis/launch_stats.h"
#include "analysis/phase_thread_sums.h"
#include "analysis/queue_depth.h"
#include "analysis/recorder_facts.h"
#include "analysis/request_presence.h"
#include "analysis/request_texts.h"
#include "analysis/surroundings.h"
#include "analysis/thread_roles.h"
#include "analysis/thread_times.h"
#include "attribution/join_visitor.h"
#include "attribution/phase_thread_visitor.h"
#include "record/visitor.h"

namespace slowtoken::analysis {

class TraceAnalysis final : public record::EventVisitor,
                            public attribution::JoinVisitor,
                            public attribution::PhaseThreadVisitor {
 public:
  explicit TraceAnalysis(const record::Dictionary& dictionary);
  TraceAnalysis(const TraceAnalysis&) = delete;  // its parts call each other
  TraceAnalysis& operator=(const TraceAnalysis&) = delete;

  void OnWork(const attribution::GpuRecord& record, const attribution::Launch* launch) override;
  void OnLaunch(const attribution::Launch& launch) override;
  void OnToldUntil(TimeNs time) override {
    inferred_.Settle(time);
    collectives_.Settle(time);
  }

  void On(const attribution::PhaseThread& spent) override { (spent.n == 0 ? ttft_threads_ : gap_threads_).Add(spent); }

  using EventVisitor::On;
  void On(const record::Kernel& kernel) override;
  void On(const record::Memcpy& copy) override;
  void On(const record::Memset& set) override;
  void On(const record::GraphLaunch& graph) override;
  void On(const record::ApiCall& call) override {
    launch_stats_.AddCall(call);
    inferred_.AddWait(call);
    captured_ranges_.Add(call);
    graph_builds_.Add(call);
  }
  void On(const record::Overhead& overhead) override { graph_builds_.Add(overhead); }
  void On(const record::Annotation& annotation) override;
  void On(const record::RequestIdText& text) override;
  void On(const record::NvtxDomainInfo& domain) override;
  void On(const record::NvtxMark& mark) override { AddText(mark.process, mark.domain, mark.message); }
  void On(const record::NvtxRange& range) override {
    places_.ranges().Add(range);
    collectives_.Add(range);
    if (range.end != 0) AddText(range.process, range.domain, range.message);
  }
  void On(const record::ThreadInfo& thread) override {
    thread_names_[attribution::ThreadKey(thread.process, thread.thread)] = thread.name;
  }
  void On(const record::DeviceInfo& info) override {
    devices_.Add(info);
    device_clocks_.Add(info);
  }
  void On(const record::DeviceSample& sample) override { device_clocks_.Add(sample); }
  void On(const record::ClockSnapshot& snapshot) override { facts_.Add(snapshot); }
  void On(const record::LossTotals& totals) override { facts_.Add(totals); }
  void On(const record::SourceStatus& status) override { facts_.Add(status); }
  void On(const record::OwnCost& cost) override { facts_.Add(cost); }
  void On(const record::CaptureTotals& totals) override { facts_.Add(totals); }
  void On(const record::Advance& advance) override;

  void On(const record::Condition& condition) override { surroundings_.Add(condition); }
  void On(const record::DetailChange& change) override { facts_.Add(change); }
  void On(const record::Trigger& trigger) override { facts_.Add(trigger); }
  void On(const record::OffCpu& off) override { thread_times_.Add(off); }
  void On(const record::CpuSample& sample) override {
    facts_.Add(sample);
    thread_times_.Add(sample);
  }

  // After the last event, and after attribution's Finish.
  void Finish();

  // Records seen. `untimed` of them (no time, or one that cannot be true) are in no sum.
  struct Counts {
    uint64_t kernels = 0, graph_kernels = 0, copies = 0, sets = 0, graph_replays = 0, untimed = 0;
    uint64_t graph_replay_ns = 0;                        // of replays recorded as a whole
    uint64_t requests = 0, batches = 0, iterations = 0;  // annotations, those still open counted again when they end
  };
  const Counts& counts() const { return counts_; }
  const RequestTexts& request_texts() const { return request_texts_; }
  // llmserve texts that do not parse, as shapes (name and keys), with how often each came: the first few.
  const std::map<std::string, uint64_t>& malformed() const { return malformed_; }
  // Where no iteration was said; empty else.
  const InferredIterations& inferred() const { return inferred_; }
  const LaunchStats& launch_stats() const { return launch_stats_; }
  const LaunchPlaces& places() const { return places_; }
  // By process, of those whose launches have GPU work.
  const std::map<record::ProcessIndex, QueueDepth>& queues() const { return queues_; }
  // Of the kernels launched outside graphs those shorter than kSmallKernel.
  static constexpr uint64_t kSmallKernel = 10'000;
  struct SingleKernels {
    uint64_t count = 0, small = 0;
  };
  const SingleKernels& single_kernels() const { return single_kernels_; }
  std::string_view ThreadName(uint64_t thread_key) const;
  const ThreadRoles& thread_roles() const { return thread_roles_; }
  const ThreadTimes& thread_times() const { return thread_times_; }
  // By record::TtftPhase, by record::GapPhase.
  const PhaseThreadSums& ttft_threads() const { return ttft_threads_; }
  const PhaseThreadSums& gap_threads() const { return gap_threads_; }
  const CapturedRanges& captured_ranges() const { return captured_ranges_; }
  const GraphBuilds& graph_builds() const { return graph_builds_; }
  const GraphNodes& graph_nodes() const { return graph_nodes_; }
  const KernelTable& kernels() const { return kernels_; }
  const Collectives& collectives() const { return collectives_; }
  const Devices& devices() const { return devices_; }
  const RecorderFacts& facts() const { return facts_; }
  const DeviceClocks& device_clocks() const { return device_clocks_; }
  const Surroundings& surroundings() const { return surroundings_; }
  const record::Dictionary& dictionary() const { return *dictionary_; }

 private:
  static constexpr size_t kMostMalformed = 8;
  void CountTime(TimeNs start, TimeNs end) {
    if (!IsInterval(start, end)) ++counts_.untimed;
  }
  void AddText(record::ProcessIndex process, record::DomainId domain, record::StringId message);

  const record::Dictionary* dictionary_;
  std::set<std::pair<record::ProcessIndex, record::DomainId>> llmserve_;
  std::map<std::string, uint64_t> malformed_;
  Counts counts_;
  LaunchStats launch_stats_;
  LaunchPlaces places_;
  CapturedRanges captured_ranges_;
  GraphBuilds graph_builds_;
  std::map<record::ProcessIndex, QueueDepth> queues_;
  SingleKernels single_kernels_;
  absl::flat_hash_map<uint64_t, record::StringId> thread_names_;
  ThreadRoles thread_roles_;
  ThreadTimes thread_times_;
  PhaseThreadSums ttft_threads_, gap_threads_;
  GraphNodes graph_nodes_;
  KernelTable kernels_;
  Collectives collectives_;
  Devices devices_;
  RequestPresence presence_;
  RequestTexts request_texts_;
  RecorderFacts facts_;
  Surroundings surroundings_;
  InferredIterations inferred_;
  DeviceClocks device_clocks_;
};

}  // namespace slowtoken::analysis
