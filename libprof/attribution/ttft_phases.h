// TTFT by phase (docs/ATTRIBUTION.md): which label is active when. In two parts, because the arrival may be known only
// at the end of the request: the tail, from the request's earliest own work to its first emission, made while its
// iterations are at hand; and the head, from the arrival to there. Used by RequestPass; single threaded.
#pragma once

#include "attribution/coverage.h"
#include "attribution/devices.h"
#include "attribution/iteration_table.h"
#include "attribution/own_gpu_time.h"
#include "attribution/request_table.h"

namespace slowtoken::attribution {

struct TtftInputs {
  const Request& request;
  const OwnWork& own;
  TimeNs instant = 0;  // F
  TimeNs commit = 0;   // C; 0 = not known
};

class TtftPhases {
 public:
  bool Init(RequestTable& requests, const IterationTable& iterations, const Devices& devices, Partition& partition,
            OwnGpuTime& own_gpu_time);

  // The part from the earliest own work to F.
  TtftTail MakeTail(const TtftInputs& inputs);

  // Fills the partition with everything from `from` to F, arrival left out, and returns the phases. Afterwards PiecesOf
  // says when one of them was.
  record::TtftPhases MakeWhole(const TtftInputs& inputs, TimeNs from);
  Pieces PiecesOf(record::TtftPhase phase) const;

  // Adds the part from the arrival and writes ttft_ns, ttft_phases, queue_by and prefill_* of `out`.
  void Finish(const Request& request, const TtftTail& tail, record::RequestSummary* out);

 private:
  struct Host {  // `schedule` and `submit`, and where the queue ends
    Span schedule, submit;
    TimeNs queue_end = 0;
  };
  Host HostPhases(const TtftInputs& inputs) const;
  void AddTailLabels(const TtftInputs& inputs, const Host& host);
  void AddGpuLabels(const TtftInputs& inputs);
  void AddBacklog(const TtftInputs& inputs);
  void AddEventLabels(const Request& request, TimeNs arrival, TimeNs queue_end);
  void AddWaitReasons(const Request& request);
  // Sweeps the partition and adds its sums to `tail`.
  void Accumulate(TtftTail* tail);
  TimeNs FirstEvent(const Request& request, RequestEventKind kind) const;

  RequestTable* requests_ = nullptr;
  const IterationTable* iterations_ = nullptr;
  const Devices* devices_ = nullptr;
  Partition* partition_ = nullptr;
  OwnGpuTime* own_gpu_time_ = nullptr;
};

// Adds label `label` for each time between req.preempted and req.resumed.
void AddPreemptedTimes(const RequestTable& requests, const Request& request, unsigned label, Partition& partition);

}  // namespace slowtoken::attribution
