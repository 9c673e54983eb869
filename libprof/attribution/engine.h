// Engine: from events to conclusions. Joins kernels to iterations and requests, splits each TTFT and each gap into
// named phases, keeps the histograms (docs/ATTRIBUTION.md has every definition). One engine, two homes: the worker
// thread in the serving process, and offline tools reading a trace; the same events give the same summaries.
//
// How to use it: Init once, deliver events in any order between two Advance events, Finish at the end. Summaries come
// out of On(Advance) and Finish, through the visitor given to Init, in a fixed order: iterations by end, then requests
// by end; the gaps of a request directly before its RequestSummary. (Where memory for unfinished requests runs out,
// gaps come earlier.)
//
// Single threaded. All memory comes from the arena at Init, EngineConfig::ArenaBytes() of it; nothing ever allocates
// later; what does not fit is dropped and counted in `losses`. A kernel costs about 100 ns, a token about 2 µs.
#pragma once

#include "attribution/batch_tracker.h"
#include "attribution/blind_intervals.h"
#include "attribution/config.h"
#include "attribution/device_time.h"
#include "attribution/devices.h"
#include "attribution/first_token_causes.h"
#include "attribution/first_token_rule.h"
#include "attribution/gpu_join.h"
#include "attribution/host_work.h"
#include "attribution/iteration_habits.h"
#include "attribution/iteration_table.h"
#include "attribution/metrics.h"
#include "attribution/request_absence.h"
#include "attribution/request_pass.h"
#include "attribution/request_table.h"
#include "attribution/stall_causes.h"
#include "attribution/stall_rule.h"
#include "attribution/thread_activity.h"
#include "attribution/thread_ranges.h"
#include "attribution/throttle_log.h"
#include "attribution/wait_watch.h"
#include "record/dictionary.h"
#include "record/visitor.h"

namespace slowtoken::attribution {

class Engine final : public record::EventVisitor {
 public:
  // Everything given must outlive the engine. False when the arena is too small; the engine must not be used then.
  bool Init(base::Arena& arena, const EngineConfig& config, const record::Dictionary& dictionary,
            base::LossCounters& losses, record::EventVisitor& out);

  // `joined` is told how GPU records and launches belong together. Before the first event.
  void Tell(JoinVisitor& joined) { gpu_join_.Tell(joined); }
  // `threads` is told how CPU phases were spent. Before the first event.
  void TellThreads(PhaseThreadVisitor& threads) { emission_pass_.TellThreads(threads); }

  using EventVisitor::On;
  void On(const record::Kernel& kernel) override;
  void On(std::span<const record::Kernel> kernels) override {
    for (const record::Kernel& kernel : kernels) On(kernel);
  }
  void On(const record::Memcpy& copy) override;
  void On(const record::Memset& memset) override;
  void On(const record::GraphLaunch& launch) override;
  void On(const record::ApiCall& call) override;
  void On(const record::Annotation& annotation) override;
  void On(const record::Overhead& overhead) override { host_work_.Add(overhead); }
  void On(const record::OffCpu& off) override { activity_.Add(off); }
  void On(const record::CpuSample& sample) override { activity_.Add(sample); }
  void On(const record::HostSample& sample) override { activity_.Add(sample); }
  void On(const record::DeviceInfo& device) override;
  void On(const record::DeviceSample& sample) override {
    throttles_.Add(sample, devices_.BitOfOrdinal(sample.device, sample.process));
  }
  void On(const record::SourceStatus& status) override { blind_.Add(status); }
  void On(const record::Advance& advance) override;

  // The innermost iteration range on a thread of process 0 at an instant, as far as has been told. True for good where
  // every annotation that happened before `at` has been delivered; where none covers it, kNobody.
  RangeAnswer IterationAt(record::ThreadId thread, TimeNs at) {
    return ranges_.Find(ThreadKey(0, thread), at, kForever, kForever);
  }

  // The histograms so far, as HistogramSnapshot events: one per metric and label that has samples.
  void EmitHistograms(record::EventVisitor& out) { metrics_.Emit(out); }
  void EmitHistograms() { EmitHistograms(*out_); }

  // The counters so far, as CounterSnapshot events. What cannot be told from what was recorded has none.
  void EmitCounters(record::EventVisitor& out) const;
  void EmitCounters() const { EmitCounters(*out_); }

  // Which waits are too long (wait_watch.h). While a request is open its `req` is not an event yet: WatchOpen tells of
  // it. Every annotation that happened before `heard` has been delivered.
  void WatchOpen(const record::Annotation& open) { watch_.Add(open); }
  void Watch(TimeNs heard) { watch_.Run(heard); }
  void WatchBlindUntil(TimeNs now) { watch_.BlindUntil(now); }
  const WaitWatch& watch() const { return watch_; }

  // End of input: everything left becomes final now, partial where something is missing.
  void Finish();

 private:
  template <typename Event>
  GpuRecord RecordOf(const Event& event, GpuOperation operation);
  GpuOperation OperationOf(record::ShapeId shape) {
    const uint8_t kept = shape < shape_operation_.size() ? shape_operation_[shape] : 0;
    return kept != 0 ? static_cast<GpuOperation>(kept - 1) : AskOperation(shape);
  }
  GpuOperation AskOperation(record::ShapeId shape);
  // Everything that is settled at `watermark` is concluded; kForever: everything.
  void Conclude(TimeNs watermark, TimeNs now);
  TimeNs JointWatermark() const;
  void EmitDeviceCounters(uint32_t device, record::EventVisitor& out) const;
  void EmitBlindCounters(record::ProcessIndex process, record::EventVisitor& out) const;

  EngineConfig config_;
  const record::Dictionary* dictionary_ = nullptr;
  record::EventVisitor* out_ = nullptr;

  IntervalPool intervals_;
  IterationTable iterations_;
  ThreadRanges ranges_;
  BatchTracker batches_;
  RequestTable requests_;
  HostWork host_work_;
  ThreadActivity activity_;
  IterationHabits habits_;
  BlindIntervals blind_;
  Devices devices_;
  ThrottleLog throttles_;
  Partition partition_;
  OwnGpuTime own_gpu_time_;
  StallRule rule_;
  WaitWatch watch_;
  Metrics metrics_;
  RequestAbsence absence_;
  DeviceTime device_time_;

  GpuJoin gpu_join_;
  IterationPass iteration_pass_;
  TtftPhases ttft_phases_;
  GapPhases gap_phases_{{requests_, iterations_, batches_, devices_, host_work_, habits_, partition_, own_gpu_time_}};
  EvidenceFinder evidence_{{iterations_, intervals_, batches_, devices_, throttles_, host_work_, habits_, activity_}};
  StallCauses stall_causes_{evidence_, gap_phases_};
  FirstTokenRule first_rule_;
  FirstTokenCauses first_causes_{{evidence_, first_rule_, host_work_, batches_, requests_, ttft_phases_}};
  EmissionPass emission_pass_;
  RequestPass request_pass_;

  std::span<TimeNs> watermarks_;        // by process
  std::span<TimeNs> known_until_;       // the same, but not where a process's events have ended
  std::span<uint8_t> shape_operation_;  // GpuOperation + 1 by ShapeId; 0 = not asked yet
  TimeNs concluded_ = 0;                // watermark of the last Conclude
};

}  // namespace slowtoken::attribution
