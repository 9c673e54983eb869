#include "scenario/worker_orders.h"

#include <slowtoken/llmserve.h>

#include <algorithm>

#include "gpu/cuda_status.h"
#include "gpu/simulated_costs.h"
#include "gpu/work_model.h"
#include "scenario/busy.h"
#include "scenario/host_pause.h"

namespace slowtoken::demo {
namespace {

namespace ls = slowtoken::llmserve;
constexpr size_t kPiece = 4 << 20;        // of a copy
constexpr size_t kAllocation = 64 << 20;  // of a call
constexpr uint64_t kSlowPermille = 5000;  // how much longer a slow GPU's kernels last

bool Is(const WorkerOrder& order, Scenario scenario) { return order.scenario == static_cast<int64_t>(scenario); }

// Repeats `step`, which may fail, until `length` has passed.
template <typename Step>
absl::Status Repeat(TimeNs length, Interval& time, Step step) {
  time.start = NowNs();
  do
    if (absl::Status status = step(); !status.ok()) return status;
  while (NowNs() - time.start < length);
  time.end = NowNs();
  return absl::OkStatus();
}

}  // namespace

absl::Status WorkerOrders::InFront(const Plan& plan, cudaStream_t stream, PlanResult& result) {
  result.orders.resize(plan.orders.size());
  for (size_t i = 0; i < plan.orders.size(); ++i) {
    const WorkerOrder& order = plan.orders[i];
    if (!Is(order, Scenario::kBacklog)) continue;
    result.orders[i].start = NowNs();
    llmserve_iter about;
    about.iter = order.number;
    about.flags = LLMSERVE_DUMMY;
    const ls::Scope iteration{ls::Iteration{about}};
    Config work = config_;
    work.decode_us = order.length / 1000;
    const ForwardShape shape{.layers = static_cast<int>(config_.layers),
                             .hidden = static_cast<int>(config_.hidden),
                             .block_tokens = static_cast<int>(config_.block_tokens),
                             .tokens = 1,
                             .rows = 1,
                             .all_reduce = config_.all_reduce != 0,
                             .prefill = false};
    int64_t kernels = 0;
    const ls::Scope part{ls::Part{LLMSERVE_FORWARD}};
    SLOWTOKEN_RETURN_IF_CUDA_ERROR(
        LaunchForward(memory_.device(), memory_.input(), shape, SpreadWork(work, 0, 0), stream, kernels));
  }
  return Press(plan, stream);
}

// Makes the GPU slow, or a rank late, or neither, as the plan wants it.
absl::Status WorkerOrders::Press(const Plan& plan, cudaStream_t stream) {
  Pressure wanted;
  for (const WorkerOrder& order : plan.orders) {
    if (Is(order, Scenario::kGpuSlow)) wanted.permille = kSlowPermille;
    if (Is(order, Scenario::kCollectiveWait)) wanted.late_ns += static_cast<uint64_t>(order.length);
  }
  if (wanted.permille == pressure_.permille && wanted.late_ns == 0) return absl::OkStatus();
  pressure_ = wanted;
  SetSimulatedPressure(wanted);
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(SetPressure(wanted, stream));
  return absl::OkStatus();
}

absl::Status WorkerOrders::InPrepare(const Plan& plan, PlanResult& result) {
  for (size_t i = 0; i < plan.orders.size(); ++i) {
    const WorkerOrder& order = plan.orders[i];
    Interval& time = result.orders[i];
    absl::Status status;
    if (Is(order, Scenario::kHostPaused)) time = PauseHost(order.variant, order.length);
    if (Is(order, Scenario::kKvCacheSync))
      status = order.variant == variant::kSwap ? Swap(order.length, time) : Allocate(order.length, time);
    if (Is(order, Scenario::kColdStart) && order.variant == variant::kLoad) status = Load(order.length, time);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// KV blocks go out to the host and come back, each copy waited for.
absl::Status WorkerOrders::Swap(TimeNs length, Interval& time) {
  host_.resize(kPiece);
  const size_t size = std::min(kPiece, memory_.kv_bytes());
  llmserve_kv about;
  const ls::Scope range{ls::Kv{LLMSERVE_KV_SWAP, about}};
  return Repeat(length, time, [&]() -> absl::Status {
    SLOWTOKEN_RETURN_IF_CUDA_ERROR(cudaMemcpy(host_.data(), memory_.device().keys, size, cudaMemcpyDeviceToHost));
    SLOWTOKEN_RETURN_IF_CUDA_ERROR(cudaMemcpy(memory_.device().keys, host_.data(), size, cudaMemcpyHostToDevice));
    return absl::OkStatus();
  });
}

// A cache that is not pooled: memory is allocated and given back at once.
absl::Status WorkerOrders::Allocate(TimeNs length, Interval& time) {
  return Repeat(length, time, []() -> absl::Status {
    void* memory = nullptr;
    SLOWTOKEN_RETURN_IF_CUDA_ERROR(cudaMalloc(&memory, kAllocation));
    SLOWTOKEN_RETURN_IF_CUDA_ERROR(cudaFree(memory));
    return absl::OkStatus();
  });
}

// Weights that were not there yet.
absl::Status WorkerOrders::Load(TimeNs length, Interval& time) {
  host_.resize(kPiece);
  const ls::Scope range{ls::Work{LLMSERVE_MODEL_LOAD, "second model"}};
  void* weights = nullptr;
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(cudaMalloc(&weights, kPiece));
  const absl::Status status = Repeat(length, time, [&] {
    return CudaStatus(cudaMemcpy(weights, host_.data(), kPiece, cudaMemcpyHostToDevice), "cudaMemcpy of weights");
  });
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(cudaFree(weights));
  return status;
}

absl::Status WorkerOrders::InForward(const Plan& plan, cudaEvent_t graph_start, cudaStream_t stream,
                                     PlanResult& result) {
  for (size_t i = 0; i < plan.orders.size(); ++i) {
    const WorkerOrder& order = plan.orders[i];
    Interval& time = result.orders[i];
    absl::Status status;
    const bool lost = Is(order, Scenario::kGraphMiss);
    if (lost && order.variant == variant::kJit) {
      const ls::Scope range{ls::Work{LLMSERVE_JIT, "decode kernels"}};
      time = Compute(order.length);
    } else if (lost || (Is(order, Scenario::kColdStart) && order.variant == variant::kColdCapture)) {
      status = CaptureAll(order, graph_start, stream, time);
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// The graphs are thrown away and captured again, the one that is missed first, for as long as that is to take.
absl::Status WorkerOrders::CaptureAll(const WorkerOrder& order, cudaEvent_t graph_start, cudaStream_t stream,
                                      Interval& time) {
  std::vector<int64_t> buckets = graphs_.buckets();
  if (buckets.empty()) return absl::OkStatus();
  const auto missed = std::find(buckets.begin(), buckets.end(), order.number);
  if (missed != buckets.end()) std::rotate(buckets.begin(), missed, buckets.end());
  size_t next = 0;
  return Repeat(order.length, time, [&] {
    return graphs_.Capture(buckets[next++ % buckets.size()], config_, memory_, graph_start, stream);
  });
}

TimeNs WorkerOrders::ExtraSampling(const Plan& plan) const {
  TimeNs extra = 0;
  for (const WorkerOrder& order : plan.orders)
    if (Is(order, Scenario::kSampling) && order.variant == variant::kGpu) extra += order.length;
  return extra;
}

void WorkerOrders::InSample(const Plan& plan, PlanResult& result) {
  for (size_t i = 0; i < plan.orders.size(); ++i)
    if (Is(plan.orders[i], Scenario::kSampling) && plan.orders[i].variant == variant::kCpu)
      result.orders[i] = SampleFromLargeVocabulary(plan.orders[i].length);
}

void WorkerOrders::AtEnd(const Plan& plan, PlanResult& result) {
  const Interval gpu = result.gpu.end > 0 ? result.gpu : Interval{result.forward.start, result.sample.end};
  for (size_t i = 0; i < plan.orders.size(); ++i) {
    const WorkerOrder& order = plan.orders[i];
    if (Is(order, Scenario::kGpuSlow) || Is(order, Scenario::kCollectiveWait)) result.orders[i] = gpu;
    if (Is(order, Scenario::kSampling) && order.variant == variant::kGpu)
      result.orders[i] = {gpu.end, std::max(gpu.end, result.gpu_sample.end)};
    if (Is(order, Scenario::kBacklog)) result.orders[i].end = gpu.start;
  }
}

}  // namespace slowtoken::demo
