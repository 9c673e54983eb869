// Carries out in the GPU worker what a scenario orders for one iteration, by really doing it: copies, allocations,
// captures, loads, kernels that last longer. The GPU worker's thread; each place below is called once an iteration.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "absl/status/status.h"
#include "core/config.h"
#include "core/messages.h"
#include "gpu/decode_graphs.h"
#include "gpu/gpu_memory.h"
#include "scenario/kinds.h"

namespace slowtoken::demo {

class WorkerOrders {
 public:
  // All must outlive it.
  WorkerOrders(const Config& config, const GpuMemory& memory, DecodeGraphs& graphs)
      : config_(config), memory_(memory), graphs_(graphs) {}

  // In front of the iteration's range: another iteration's work, which nobody waits for.
  absl::Status InFront(const Plan& plan, cudaStream_t stream, PlanResult& result);

  // Inside iter.prepare and iter.forward, before anything is launched there. `graph_start`: the graphs' first node.
  absl::Status InPrepare(const Plan& plan, PlanResult& result);
  absl::Status InForward(const Plan& plan, cudaEvent_t graph_start, cudaStream_t stream, PlanResult& result);

  // How much longer the sampling kernel lasts; the CPU's sampling, once the candidates are there.
  TimeNs ExtraSampling(const Plan& plan) const;
  void InSample(const Plan& plan, PlanResult& result);

  // The iteration is over: when those orders were carried out that the GPU carried out.
  void AtEnd(const Plan& plan, PlanResult& result);

 private:
  absl::Status Swap(TimeNs length, Interval& time);
  absl::Status Allocate(TimeNs length, Interval& time);
  absl::Status Load(TimeNs length, Interval& time);
  absl::Status CaptureAll(const WorkerOrder& order, cudaEvent_t graph_start, cudaStream_t stream, Interval& time);
  absl::Status Press(const Plan& plan, cudaStream_t stream);

  const Config& config_;
  const GpuMemory& memory_;
  DecodeGraphs& graphs_;
  std::vector<char> host_;  // what is copied from and to
  Pressure pressure_;       // as the GPU has it
};

}  // namespace slowtoken::demo
