// EventSource: where events come from inside the process (cupti/, nvtx/, later nccl/). The worker owns the calls: all
// of them happen on the worker thread, one at a time, except ForgetInChild. Implementations take memory only from the
// arena given to their Init.
#pragma once

#include "capture/clock_map.h"
#include "record/dictionary.h"
#include "record/visitor.h"

namespace slowtoken::capture {

// What a source may use while it collects. Owned by the worker, valid for the process's life.
struct CollectContext {
  record::Dictionary& dictionary;
  base::LossCounters& losses;
  const ClockMap& clock;  // converts TSC and CUPTI stamps to CLOCK_MONOTONIC
  record::EventVisitor& out;
};

// The detail of a source's status while recording is paused.
inline constexpr const char* kPausedText = "recording was stopped by the program";

class EventSource {
 public:
  // Delivers everything that host threads handed over so far, as events with CLOCK_MONOTONIC times. May call the
  // source's library (flush); holds no lock that a host thread could wait for.
  virtual void Collect(CollectContext&) {}

  // As Collect, but nothing will follow: also hand out what is incomplete. Bounded by `deadline` (CLOCK_MONOTONIC).
  virtual void CollectLast(CollectContext& context, record::TimeNs) { Collect(context); }

  // After Collect: every event that happened before the returned instant has been delivered. `round_start` is when the
  // round began; a source that still holds earlier events back (an activity buffer not returned) says so here.
  virtual record::TimeNs CompleteUpTo(const ClockMap&, record::TimeNs round_start) { return round_start; }

  // As CompleteUpTo, but for annotations alone. A source without any need not know.
  virtual record::TimeNs AnnotationsUpTo(const ClockMap&, record::TimeNs round_start) { return round_start; }

  // How often the source wants to look at something between this round and the next, in ms; 0: it need not.
  virtual uint32_t LookPeriodMs() const { return 0; }
  // That look, and one before each round. Delivers nothing: what it sees comes with the next Collect. True: that shall
  // come now.
  virtual bool Look() { return false; }

  // Host threads stop recording, or go on; a source that is or was recording says so with a SourceStatus. What was
  // recorded before is still delivered, and what ends ranges that began before. A source that cannot stop need not:
  // capture/pause_gate.h holds its events back.
  virtual void SetPaused(bool, CollectContext&) {}

  // The ranges open now, as events with end == 0: live state for the head of a chunk.
  virtual void ForEachOpen(record::EventVisitor&) {}

  // Adds what this source has counted since the start.
  virtual void AddTotals(record::CaptureTotals&) const {}

  // Adds what this source has cost, to the parts of OwnCost that only it knows.
  virtual void AddCost(record::OwnCost&) const {}

  // In the child of a fork, on its only thread: forget, call nothing.
  virtual void ForgetInChild() {}

 protected:
  ~EventSource() = default;
};

}  // namespace slowtoken::capture
