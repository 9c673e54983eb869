// Runs iterations on the GPU: sends the input, replays the batch size's decode graph or launches kernel by kernel,
// launches the sampling kernel, reads the candidates back asynchronously, samples on the CPU. One thread (the engine's,
// or the worker process's only one), which also emits `iter` and the parts that it runs.
//
// GPU times come from events: `gpu` from an event after the input copy (the first node of a graph, else just in front
// of the first launch) to one after the last kernel; `gpu_sample` from an event in front of the sampling kernel to one
// after the copy back. Without speculative decoding the first event is at most a launch call away from the first
// kernel.
#pragma once

#include <cuda_runtime_api.h>

#include "absl/status/status.h"
#include "core/config.h"
#include "core/sampler.h"
#include "core/truth.h"
#include "core/worker_port.h"
#include "gpu/decode_graphs.h"
#include "gpu/gpu_clock.h"
#include "gpu/gpu_memory.h"
#include "scenario/worker_orders.h"

namespace slowtoken::demo {

class GpuWorker : public WorkerPort {
 public:
  // `truth` receives moments that this thread lost; it and `config` must outlive the worker.
  GpuWorker(const Config& config, uint64_t seed, TruthFile& truth);

  // Brings up the device, memory, graphs and clock. An error says what is missing.
  absl::Status Start();

  PlanResult Run(const Plan& plan) override;

 private:
  absl::Status RunOnGpu(const Plan& plan, PlanResult& result);
  absl::Status Prepare(const Plan& plan, PlanResult& result);
  absl::Status Draft(const Plan& plan, PlanResult& result);
  absl::Status Forward(const Plan& plan, PlanResult& result);
  absl::Status LaunchEagerly(const Plan& plan, PlanResult& result);
  absl::Status Sample(const Plan& plan, PlanResult& result);
  absl::Status Await(cudaEvent_t event);
  void ReadTimes(PlanResult& result);

  const Config& config_;
  Sampler sampler_;
  TruthFile& truth_;
  GpuMemory memory_;
  DecodeGraphs graphs_;
  WorkerOrders orders_;
  GpuClock clock_;
  cudaStream_t stream_ = nullptr;
  // graph_start_ is a node of the graphs; start_ is recorded in front of eager launches and drafts.
  cudaEvent_t graph_start_ = nullptr, start_ = nullptr, computed_ = nullptr, sample_start_ = nullptr, done_ = nullptr;
  cudaEvent_t first_ = nullptr;  // of this iteration: graph_start_ or start_
  TimeNs gpu_waited_ = 0;        // when this iteration's wait for the GPU was over
  int64_t sampled_ = 0;          // rows of this iteration to sample
};

}  // namespace slowtoken::demo
