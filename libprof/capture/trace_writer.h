// TraceWriter: what becomes of the events by mode: which files there are, which encoder fills them, how much detail
// they get. trace: one file of everything, up to its size cap; metrics: conclusions alone; flight: conclusions, and the
// ring of detail. Conclusions are kept in a ring too, a long one: what is dropped of them stays in the histograms and
// counters, which are cumulative. Part of Pipeline; worker thread. Takes its memory (8 MB; flight 10; 2.6 where there
// is a budget or detail is sampled) at Init.
#pragma once

#include "capture/budget_governor.h"
#include "capture/config.h"
#include "capture/detail_filter.h"
#include "capture/flight_recorder.h"
#include "capture/ring_output.h"
#include "capture/trace_output.h"
#include "trace/chunk_encoder.h"

namespace slowtoken::capture {

class TraceWriter {
 public:
  // Everything given is borrowed. `open_ranges` tells what is open now (trace/chunk_encoder.h).
  struct Parts {
    record::Dictionary& dictionary;
    record::Dictionary::Limits names;
    base::LossCounters& losses;
    trace::FileHeader header;
    const char* boot_id;  // 0-terminated
    trace::OpenRanges open_ranges;
    void* open_context;
    // What tells which iteration and which requests an event belongs to, where detail is sampled.
    attribution::Engine& engine;
    attribution::LiveBatches& batches;
  };
  bool Init(base::Arena& arena, const Config& config, const Parts& parts);

  // Everything that is to be written goes in here.
  DetailFilter& filter() { return filter_; }

  // A dump of the flight ring. Any thread; false where there is none, or too many wait.
  bool Fire(record::TriggerKind kind, std::string_view text);

  // Once a round: whether what slowtoken has cost so far calls for more or less detail. True when annotations are
  // written again from here on that were not before: who is in the batch has to be told again.
  bool Govern(base::TimeNs now, uint64_t cost_ns);

  // Before the round's Advance: `late` waits may be a reason to dump. And after it.
  void Look(std::span<const attribution::LateWait> late, base::TimeNs now);
  void EndRound(base::TimeNs now);

  // What stands at the head of every chunk.
  void TellState(record::EventVisitor& out) const { encoder_.TellState(out); }

  // Writes the end marks.
  void Finish();
  void Close();

  uint64_t bytes_written() const {
    return whole_.bytes_written() + conclusions_.bytes_written() + ring_.bytes_written();
  }

 private:
  bool InitFlight(base::Arena& arena, const Parts& parts, const trace::EncoderLimits& limits, DetailSampler* sampler);
  bool InitSampler(base::Arena& arena, const Parts& parts, DetailSampler*& sampler);
  void Start(base::TimeNs now);
  void StopAtCap(base::TimeNs now);

  const Config* config_ = nullptr;
  TraceOutput whole_;                        // trace mode
  RingOutput conclusions_;                   // the others, and trace mode above its cap
  RingOutput ring_;                          // flight mode
  trace::ChunkEncoder encoder_;              // everything, or conclusions, or detail
  trace::ChunkEncoder conclusions_encoder_;  // flight mode
  DetailSampler sampler_;                    // where there is a budget, or detail is sampled
  DetailFilter filter_;
  BudgetGovernor governor_;
  FlightRecorder flight_;
};

}  // namespace slowtoken::capture
