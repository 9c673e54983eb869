// PerfettoExport: writes a trace for the Perfetto viewer while it is read. A visitor over the events of all processes,
// with a second one for what attribution concludes from them at the same time (requests, gaps, iterations). Streaming:
// memory is bounded by the window of waiting slices, the names and the tracks. Single threaded. About 1 µs an event.
#pragma once

#include <array>
#include <vector>

#include "analysis/graph_paths.h"
#include "export/captured_slices.h"
#include "export/perfetto_event.h"
#include "export/perfetto_tracks.h"
#include "export/perfetto_writer.h"
#include "export/request_steps.h"
#include "export/slice_window.h"
#include "record/visitor.h"

namespace slowtoken::exporting {

class PerfettoExport final : public record::EventVisitor {
 public:
  // `out` must outlive this. `processes`: those of the trace, with their headers. `paths`: what graph nodes were
  // captured in, found in a reading before.
  PerfettoExport(std::ostream& out, const record::Dictionary& dictionary,
                 const std::vector<reader::ProcessInfo>& processes, analysis::GraphPaths paths = {});
  PerfettoExport(const PerfettoExport&) = delete;  // its parts know each other
  PerfettoExport& operator=(const PerfettoExport&) = delete;

  using EventVisitor::On;
  void On(const record::Kernel& kernel) override;
  void On(const record::Memcpy& copy) override;
  void On(const record::Memset& set) override;
  void On(const record::GraphLaunch& graph) override;
  void On(const record::ApiCall& call) override;
  void On(const record::NvtxRange& range) override;
  void On(const record::NvtxMark& mark) override;
  void On(const record::Annotation& annotation) override;
  void On(const record::DeviceInfo& info) override { tracks_.Add(info); }
  void On(const record::ThreadInfo& info) override { tracks_.Add(info); }
  void On(const record::NvtxDomainInfo& info) override { tracks_.Add(info); }
  void On(const record::RequestIdText& text) override { tracks_.Add(text); }
  void On(const record::ClockSnapshot& snapshot) override { writer_.Clocks(snapshot); }
  void On(const record::LossTotals& totals) override;
  void On(const record::Advance& advance) override;

  // Where attribution over all processes writes what it concludes. (Summaries among the events of the trace are what
  // one process concluded alone: they are left out.)
  record::EventVisitor& summaries() { return steps_; }

  // After the last event. False if the stream has failed.
  bool Finish();

  uint64_t events() const { return writer_.events(); }
  uint64_t untimed() const { return untimed_; }  // events without a time that can be true: they cannot be shown

 private:
  // Ranges that are still open come early (end == 0) and again when they have ended: they wait until one of both is
  // sure.
  struct RangeKey {
    TrackId track = 0;
    record::TimeNs start = 0;
    uint64_t name = 0;
    bool operator==(const RangeKey&) const = default;
    template <typename H>
    friend H AbslHashValue(H hash, const RangeKey& key) {
      return H::combine(std::move(hash), key.track, key.start, key.name);
    }
  };
  struct OpenRange {
    SliceWindow::Shape shape;
    std::string event;
  };
  void AddRange(TrackId track, SliceWindow::Shape shape, record::TimeNs start, record::TimeNs end, uint64_t name);
  void AddSlice(TrackId track, SliceWindow::Shape shape, record::TimeNs start, record::TimeNs end);
  uint64_t KernelName(record::ShapeId shape);
  uint64_t TextName(record::StringId text);
  void AddFields(std::span<const record::PayloadField> fields);

  const record::Dictionary* dictionary_;
  PerfettoWriter writer_;
  PerfettoTracks tracks_;
  SliceWindow window_;
  EventText event_;
  RequestSteps steps_;
  analysis::GraphPaths paths_;
  CapturedSlices captured_;
  std::vector<uint64_t> name_of_shape_, name_of_text_;
  std::vector<std::array<uint64_t, base::kLossCount>> losses_;  // newest totals by process
  absl::flat_hash_map<RangeKey, OpenRange> open_;
  record::TimeNs last_time_ = 0;
  uint64_t untimed_ = 0;
};

}  // namespace slowtoken::exporting
