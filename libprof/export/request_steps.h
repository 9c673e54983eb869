// RequestSteps: the tracks of requests and iterations in the Perfetto export. From annotations: tokenize, queue, kv
// transfers, preemption, sending; from what attribution concludes: the request, its time to first token and gaps with
// their phases as arguments, iterations with their GPU work, and the prefill of each request.
// Single threaded. Memory: a few words for each request that is alive.
#pragma once

#include <absl/container/flat_hash_map.h>

#include "export/perfetto_event.h"
#include "export/perfetto_tracks.h"
#include "export/slice_window.h"
#include "record/visitor.h"

namespace slowtoken::exporting {

class RequestSteps final : public record::EventVisitor {
 public:
  RequestSteps(PerfettoWriter& writer, PerfettoTracks& tracks, SliceWindow& window)
      : writer_(&writer), tracks_(&tracks), window_(&window), event_(writer) {}

  using EventVisitor::On;
  void On(const record::Annotation& annotation) override;
  void On(const record::RequestSummary& summary) override;
  void On(const record::GapSummary& gap) override;
  void On(const record::IterationSummary& iteration) override;

  // Closes what still waits at the end of the trace.
  void Finish(record::TimeNs end);

 private:
  struct Alive {
    record::TimeNs queued_at = 0;     // 0 = not in the queue
    record::TimeNs preempted_at = 0;  // 0 = not preempted
    record::TimeNs last_gap_end = 0;
  };
  void OnMark(const record::Annotation& annotation);
  void Step(record::RequestId req, const char* name, record::TimeNs start, record::TimeNs end);
  void AddGpuWork(const record::IterationSummary& iteration);
  void AddCounters(const record::IterationSummary& iteration);

  PerfettoWriter* writer_;
  PerfettoTracks* tracks_;
  SliceWindow* window_;
  EventText event_;
  absl::flat_hash_map<record::RequestId, Alive> alive_;
};

}  // namespace slowtoken::exporting
