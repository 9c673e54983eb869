// One gap by phase (docs/ATTRIBUTION.md): which label is active when between two emissions of a request, and what other
// requests' prefill in its iterations cost. Used by EmissionPass once per gap and basis; single threaded. The GPU work
// of the gap's iterations is read off OwnGpuTime; all other labels are few, and sorted.
#pragma once

#include "attribution/batch_tracker.h"
#include "attribution/coverage.h"
#include "attribution/devices.h"
#include "attribution/host_work.h"
#include "attribution/iteration_habits.h"
#include "attribution/iteration_table.h"
#include "attribution/own_gpu_time.h"
#include "attribution/request_table.h"

namespace slowtoken::attribution {

struct GapInputs {
  const Request& request;
  const OwnWork& own;  // iterations after the earlier emission's yielding iteration, up to this one's
  TimeNs start = 0;    // E of the earlier emission
  TimeNs instant = 0;  // E of this one
  TimeNs commit = 0;   // C of this one; 0 = not known
  TimeNs previous_commit = 0;
  TimeNs previous_gpu_end = 0;  // of the earlier emission's yielding iteration
};

class GapPhases {
 public:
  struct Parts {
    const RequestTable& requests;
    const IterationTable& iterations;
    const BatchTracker& batches;
    const Devices& devices;
    const HostWork& host_work;
    const IterationHabits& habits;
    Partition& partition;
    OwnGpuTime& own_gpu_time;
  };
  explicit GapPhases(const Parts& parts) : parts_(parts) {}

  // Writes gap_ns, phases and the interference estimate.
  void Make(const GapInputs& inputs, record::GapSummary* out);

  // The times of one phase of the gap made last, until the partition is used for something else.
  Pieces PiecesOf(record::GapPhase phase) const;

 private:
  void AddOwnLabels(const GapInputs& inputs);
  void AddHostLabels(const GapInputs& inputs);
  void AddHostWork(const OwnWork& own);
  void AddOtherLabels(const GapInputs& inputs);
  // Adds the phases up, own GPU work among them.
  void SumUp(record::GapSummary* out) const;
  void EstimateInterference(const OwnWork& own, record::GapSummary* out) const;

  Parts parts_;
};

}  // namespace slowtoken::attribution
