// NvtxSource: NVTX as a source of events, the worker's side of libprof/nvtx. Made by the session in its arena;
// install.h connects it to the modules of the process. Init: the starting thread. The rest: the worker. The
// arena's memory must stay mapped while the process lives: host threads keep handles into it.
#pragma once

#include "base/loss.h"
#include "nvtx/collector.h"

namespace slowtoken::nvtx {

struct Options {
  base::SipKey key;                // behind the pseudonyms of request ids
  bool clear_ids = false;          // also emit RequestIdText
  std::string_view clear_domains;  // recorded_text.h; borrowed, as the next
  std::string_view role;
  std::string_view rules;  // the user's rule pack, as text; borrowed, for good
  uint32_t engine = 0;     // goes with iterations that rules count: a number of this process
  uint32_t threads = 512;  // threads that use NVTX at the same time
  // Memory for what is said between two rounds, shared by all threads, at least one chunk each: about 90 bytes for a
  // short mark, 130 for a push and pop.
  uint32_t chunks = 256;
  uint32_t chunk_bytes = 32u << 10;     // a multiple of 64; a message with its payload is at most 1 KiB less
  uint32_t text_limit = 1024;           // bytes of a message that are kept
  uint32_t llmserve_limit = 32u << 10;  // the same for the llmserve vocabulary
  uint32_t strings = 8192;              // registered strings that stay
  uint32_t recycled_strings = 2048;     // those beyond; the oldest gives way
  uint32_t name_bytes = 512u << 10;     // all names and registered strings together
  SchemaTable::Limits schemas;
  OpenRanges::Limits open;
};

class NvtxSource : public capture::EventSource {
 public:
  // The most that Init takes from the arena.
  static size_t MemoryNeeded(const Options& options);

  // Sets `chunks` so that Init takes at most `bytes`; false if not even a few chunks fit beside the tables.
  static bool FitInto(Options& options, size_t bytes);

  // Takes its memory from `arena` and becomes the process's recorder. False if that does not fit. In a forked child:
  // takes fresh queues, keeps the handles the host has.
  bool Init(base::Arena& arena, const Options& options, base::LossCounters& losses);

  void Collect(capture::CollectContext& context) override;
  // After it the handlers record nothing: nobody will read. Reads for half of the time until `deadline` at most, so
  // that what was read can still be written; the rest is counted. A deadline that is over is none: nobody waits.
  void CollectLast(capture::CollectContext& context, record::TimeNs deadline) override;
  record::TimeNs CompleteUpTo(const capture::ClockMap& clock, record::TimeNs round_start) override;
  record::TimeNs AnnotationsUpTo(const capture::ClockMap& clock, record::TimeNs round_start) override {
    return CompleteUpTo(clock, round_start);
  }
  // Cheap: only open ranges are looked at.
  void ForEachOpen(record::EventVisitor& out) override { collector_.ForEachOpen(out); }
  void AddTotals(record::CaptureTotals& totals) const override;
  // What the handlers have cost host threads.
  void AddCost(record::OwnCost& cost) const override { cost.callback_ns += host_ns_; }
  // Nothing is recorded until Init is called again. Async-signal-safe.
  void ForgetInChild() override;

  // Stops recording, or goes on. Meanwhile handles are given out, nesting is followed, and of the ranges that began
  // before, the ends are recorded; nothing of it counts as lost. About 10 ns a call on the host thread then.
  void SetPaused(bool paused, capture::CollectContext& context) override;

 private:
  static record::SourceStatus Active() {
    return {.source = record::Source::kNvtx, .state = record::SourceState::kActive};
  }
  void TellStatus(bool paused, capture::CollectContext& context);
  void TellLost(capture::CollectContext& context);
  static Names* MakeNames(base::Arena& arena, const Options& options);
  void Drain(uint32_t i, uint64_t end, capture::CollectContext& context);
  void CountHostTime(const capture::ClockMap& clock);
  bool OutOfTime();

  Recorder* recorder_ = nullptr;
  bool told_ = false;  // that it is active
  Collector collector_;
  std::span<uint64_t> ends_;        // by slot: where to read up to in this round
  std::span<uint64_t> not_before_;  // by slot: no event that is still to come has an earlier stamp
  std::span<bool> busy_;            // by slot: an event was on its way when the round began
  size_t seen_ = 0;                 // slots that were claimed when the last round began
  uint64_t last_begin_ = 0;         // when that was
  record::TimeNs read_until_ = 0;   // 0 = no limit
  uint32_t read_at_end_ = 0;
  uint64_t unread_ = 0;             // events that came after it
  uint64_t lost_ = 0;               // events that found no room, when last looked
  record::TimeNs lost_looked_ = 0;  // which was then
  uint64_t host_time_ = 0;          // in handlers, raw stamps; when last looked
  uint64_t host_ns_ = 0;
  uint64_t complete_ = 0;  // raw stamp: all events before it have been delivered
};

}  // namespace slowtoken::nvtx
