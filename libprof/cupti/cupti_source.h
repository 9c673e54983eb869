// CuptiSource: GPU records and CUDA calls of this process, by CUPTI's activity API. One a process, in the session's
// arena, never destroyed: CUPTI keeps our buffers and call-backs to the end (so the arena must never be released).
//
//   Init          starting thread, once: takes all memory.
//   Start         a host thread (a door), once, also while the worker already collects: finds CUPTI and attaches. Until
//                 it is through the source is silent.
//   the rest      worker, one call at a time. A round: flush, dropped count, decode. The first one after Start emits
//   the
//                 SourceStatus.
//
// Host threads meet it only in HostSide's call-backs. Nothing of ours is locked while CUPTI is called: there is no
// lock.
#pragma once

#include "capture/event_source.h"
#include "cupti/decode.h"
#include "cupti/host_side.h"
#include "cupti/options.h"
#include "cupti/start_sequence.h"

namespace slowtoken::cupti {

class CuptiSource final : public capture::EventSource {
 public:
  // False when `arena` is too small (MemoryNeeded says what it takes).
  bool Init(base::Arena& arena, base::LossCounters& losses, const Options& options);

  // True if records will come. False: the source stays silent, status() says why, the process is unharmed.
  bool Start();

  void Collect(capture::CollectContext& context) override;

  // With a forced flush, unless `deadline` has passed: it may block in CUPTI, which nobody can bound; the session gives
  // the worker up then. Records of kernels still running come out unfinished.
  void CollectLast(capture::CollectContext& context, record::TimeNs deadline) override;

  // The request time of the oldest buffer that is out bounds what has been delivered. Not for ever: one endless kernel
  // keeps its buffer, and is no reason never to conclude anything. A call that lasts longer than a round can still
  // arrive with an earlier start.
  record::TimeNs CompleteUpTo(const capture::ClockMap& clock, record::TimeNs round_start) override;

  // Launches (once each, though runtime and driver record them), kernels, graph launches, copies.
  void AddTotals(record::CaptureTotals& totals) const override;

  // CUPTI's own cost, and that of our flushes.
  void AddCost(record::OwnCost& cost) const override;

  // Kinds stay enabled; what comes meanwhile is held back by the pipeline.
  void SetPaused(bool paused, capture::CollectContext& context) override;

  void ForgetInChild() override;

  // Why the source speaks or is silent. Valid after Start.
  const Attachment& status() const { return attachment_; }

  // CUPTI's clock for ClockMap::Take, null when Start found none. Stays callable: says so when CUPTI is gone.
  uint32_t (*timestamp_function() const)(uint64_t*) { return attachment_.collecting ? HostSide::Now : nullptr; }

  // Kernels, copies and memsets one launch of the graph starts, 0 if unknown. Worker.
  uint32_t WorkNodes(uint32_t graph_id) const { return decode_.graphs.WorkNodes(graph_id); }

  // What Init takes from the arena, not counting the source itself.
  static size_t MemoryNeeded(const Options& options);

 private:
  static constexpr record::TimeNs kLongestHold = 5'000'000'000;

  bool Attach();
  void CollectOnce(capture::CollectContext& context, bool forced);
  bool Flush(base::LossCounters& losses, bool forced);
  void NoticeFailedFlush(int32_t error);
  void CountDropped(base::LossCounters& losses);
  void DecodeFilled(capture::CollectContext& context);
  void EmitStatus(capture::CollectContext& context);
  void NoticeLoss();

  HostSide host_;
  DecodeState decode_;
  Options options_;
  Attachment attachment_;
  std::atomic<bool> started_{false};  // Start is through: what it wrote is the worker's now
  bool status_due_ = true;
  uint64_t flush_cpu_ns_ = 0;
  bool paused_ = false;
  base::LossCounters* losses_ = nullptr;
};

}  // namespace slowtoken::cupti
