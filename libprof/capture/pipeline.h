// Pipeline: what the worker does in a round. Sources deliver events to attribution and to the trace encoder; then
// attribution makes its summaries final, and the encoder writes a chunk.
// Init runs on the starting thread before the worker exists; Round and LastRound only on the worker; SetCuptiClock and
// Pause from any thread. All memory comes from the session's arena at Init.
#pragma once

#include <array>
#include <atomic>

#include "attribution/engine.h"
#include "attribution/live_batches.h"
#include "base/arena.h"
#include "capture/config.h"
#include "capture/event_source.h"
#include "capture/fanout.h"
#include "capture/process_identity.h"
#include "capture/trace_writer.h"
#include "record/dictionary.h"

namespace slowtoken::capture {

class Pipeline {
 public:
  // Takes its part of the memory. `config` is borrowed. False when the cap is too small for it.
  bool Init(base::Arena& arena, const Config& config);

  // Adds a source; it must live as long as the pipeline. Before the worker starts.
  void Add(EventSource& source) { sources_[source_count_++] = &source; }

  // CUPTI's own clock (cuptiGetTimestamp), once it is known; until then CLOCK_REALTIME stands for it.
  void SetCuptiClock(uint32_t (*now)(uint64_t*)) { cupti_now_.store(now, std::memory_order_release); }

  void Round();
  void LastRound(base::TimeNs deadline);

  // The host is about to wait for the last round: no memory is touched ahead any more. Any thread.
  void ExpectEnd() { ending_.store(true, std::memory_order_relaxed); }

  // Between rounds, on the worker: what sources want to see meanwhile (true: a round is needed now), and how often one
  // of them does, in ms; 0: none.
  bool Look();
  uint32_t LookPeriodMs() const;

  // While paused, host threads record nothing and what the program launches is thrown away. Takes effect at the next
  // round; the change is told as a status, from which the blind interval follows.
  void Pause(bool paused) { pause_asked_.store(paused, std::memory_order_release); }
  bool pause_asked() const { return pause_asked_.load(std::memory_order_acquire); }

  // Tells `out` all about the present: state, losses, totals, own cost, counters and, if asked for, histograms, and an
  // Advance at the end. On the worker, between rounds.
  void TellPresent(record::EventVisitor& out, bool histograms);

  // A dump of what the flight ring holds around now, in every process of the run on this host. Any thread, returns at
  // once; takes effect at the next round. False where there is no ring (other modes), or too many wait already.
  bool Fire(record::TriggerKind kind, std::string_view text) { return writer_.Fire(kind, text); }

  // In a forked child: close the inherited file descriptor and tell the sources. The pipeline is not used again.
  void ForgetInChild();

  // Limits of dictionary().
  static record::Dictionary::Limits NameLimits() { return {}; }

  const ProcessIdentity& identity() const { return identity_; }
  record::Dictionary& dictionary() { return dictionary_; }
  base::LossCounters& losses() { return losses_; }
  // The threads that the sources' events were from. Worker, while it collects.
  ActiveThreads& active_threads() { return fanout_.active(); }
  const DevicesInUse& devices() const { return fanout_.devices(); }

 private:
  // Shows the engine the requests that are open now.
  class OpenRequests final : public record::EventVisitor {
   public:
    explicit OpenRequests(attribution::Engine& engine) : engine_(&engine) {}
    using EventVisitor::On;
    void On(const record::Annotation& e) override {
      if (e.name == record::AnnotationName::kReq && e.end == 0) engine_->WatchOpen(e);
    }

   private:
    attribution::Engine* engine_;
  };

  void Prefault();
  void ReadClocks();
  void LookForTriggers(base::TimeNs round_start);
  base::TimeNs AnnotationsUpTo(base::TimeNs round_start);
  void Govern();
  record::OwnCost Cost(base::TimeNs now);
  void ApplyPause(CollectContext& context);
  CollectContext Context(base::TimeNs round_start);
  base::TimeNs CompleteUpTo(base::TimeNs round_start);
  void Conclude(base::TimeNs watermark);
  void TellTotals(base::TimeNs now, record::EventVisitor& out);
  static void OpenState(void* self, record::EventVisitor& out);

  static constexpr size_t kMostSources = 8;
  std::array<EventSource*, kMostSources> sources_{};
  size_t source_count_ = 0;

  base::LossCounters losses_;
  record::Dictionary dictionary_;
  ClockMap clock_;
  ProcessIdentity identity_;
  TraceWriter writer_;
  attribution::Engine engine_;
  attribution::LiveBatches batches_;
  Fanout fanout_;
  base::Arena* arena_ = nullptr;
  std::atomic<uint32_t (*)(uint64_t*)> cupti_now_{nullptr};
  std::atomic<bool> ending_{false};
  std::atomic<bool> pause_asked_{false};
  bool paused_ = false;
  uint64_t concluded_events_ = 0;  // fanout_.events() at the last conclusion
  base::TimeNs last_conclusion_ = 0;
  base::TimeNs last_watermark_ = 0;
  base::TimeNs last_histograms_ = 0;
};

}  // namespace slowtoken::capture
