// CuptiSource: GPU records and CUDA calls of this process, by CUPTI's activity API. One a process, in the session's
// arena, never destroyed: CUPTI keeps our buffers and call-backs to the end (so the arena must never be released).
//
//   Init          starting thread, once: takes all memory.
//   Start         a host thread (a door), once, also while the worker already collects: finds CUPTI and attaches. Until
//                 it is through the source is silent.
//   the rest      worker, one call at a time. A round: flush, dropped count, decode, and the question whether CUPTI
//                 still records for us. The first one after Start emits the SourceStatus.
//
// CUPTI is shared with whatever else profiles the process. It is either ours (collecting), or another's: then we call
// none of it but to ask whether it is free again, the interval is told as blind, and recording goes on afterwards
// (rearm.cc; which versions allow that: version_policy.h).
//
// Host threads meet it only in HostSide's call-backs. Nothing of ours is locked while CUPTI is called: there is no
// lock.
#pragma once

#include "capture/event_source.h"
#include "cupti/decode.h"
#include "cupti/flush_watch.h"
#include "cupti/host_side.h"
#include "cupti/options.h"
#include "cupti/probe_call.h"
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

  // CUPTI's own cost, that of our flushes, and that of our call-backs.
  void AddCost(record::OwnCost& cost) const override;

  // Kinds stay enabled; what comes meanwhile is held back by the pipeline.
  void SetPaused(bool paused, capture::CollectContext& context) override;

  // While the host uses CUDA the pool is looked at between rounds, so that a storm of calls finds room.
  uint32_t LookPeriodMs() const override { return busy_ ? kLookMs : 0; }
  bool Look() override;

  void ForgetInChild() override;

  // Why the source speaks or is silent. Valid after Start.
  const Attachment& status() const { return attachment_; }

  // CUPTI's clock for ClockMap::Take, null when Start found none. Stays callable: says so when CUPTI is gone.
  uint32_t (*timestamp_function() const)(uint64_t*) {
    return attachment_.collecting || blind() ? HostSide::Now : nullptr;
  }

  // What Init takes from the arena, not counting the source itself.
  static size_t MemoryNeeded(const Options& options);

 private:
  static constexpr record::TimeNs kLongestHold = 5'000'000'000;
  static constexpr record::TimeNs kReclaimAfter = 60'000'000'000;
  static constexpr uint64_t kManyLaunches = 1000;
  static constexpr uint32_t kLookMs = 50;
  static constexpr uint64_t kBusyBytes = 1024;  // in a round; our own question of each round leaves less
  static constexpr uint32_t kMostUnseen = 3;

  bool blind() const { return attachment_.reason != record::BlindReason::kNone; }

  bool Attach();
  void CollectOnce(capture::CollectContext& context, bool forced, bool last);
  CUptiResult Flush(base::LossCounters& losses, bool forced);
  void NoticeFailedFlush(CUptiResult error);
  void NoticeFlushCost(uint64_t cpu_ns, uint64_t bytes);
  size_t CountDropped(base::LossCounters& losses);
  void TellLost(bool dropped, capture::CollectContext& context);
  record::SourceStatus Status(capture::CollectContext& context) const;
  uint64_t DecodeFilled(capture::CollectContext& context);
  void CountHostTime(const capture::ClockMap& clock);
  void EmitStatus(capture::CollectContext& context);

  // rearm.cc
  void CheckStillOurs(CUptiResult flushed, base::LossCounters& losses);
  bool Starved(base::TimeNs now);
  void BeginBlind(record::BlindReason reason, const char* what);
  void LookAgain(capture::CollectContext& context, base::TimeNs now);
  void NameTheHolder(const char* holder);
  void Rearm(capture::CollectContext& context, base::TimeNs now);

  HostSide host_;
  DecodeState decode_;
  Options options_;
  Attachment attachment_;
  std::atomic<bool> started_{false};  // Start is through: what it wrote is the worker's now
  bool status_due_ = true;
  bool paused_ = false;
  FlushWatch flush_watch_;
  uint64_t flush_cpu_ns_ = 0;  // of the last flush
  uint64_t host_time_ = 0;     // of the call-backs, raw stamps; when last looked
  uint64_t host_ns_ = 0;
  ProbeCall probe_;
  RearmTimer timer_;
  base::TimeNs last_ours_ = 0;     // the last instant at which CUPTI is known to have recorded for us
  base::TimeNs counted_at_ = 0;    // when CUPTI was last asked what it dropped
  bool busy_ = false;              // the host used CUDA before the last round
  uint32_t unseen_ = 0;            // blind intervals in which nobody held the subscription
  base::TimeNs reclaim_at_ = 0;    // when buffers that others were given are lent again; 0: none
  uint64_t gpu_records_ = 0;       // when last looked
  base::TimeNs fed_at_ = 0;        // when gpu_records_ grew last, 0: not since CUPTI is ours
  uint64_t launches_at_feed_ = 0;  // how many launches there had been then
  bool holder_named_ = false;      // the status of this blind interval names who is there
  base::LossCounters* losses_ = nullptr;
};

}  // namespace slowtoken::cupti
