#include "gpu/gpu_worker.h"

#include <slowtoken/llmserve.h>

#include "gpu/cuda_status.h"
#include "gpu/simulated_costs.h"
#include "gpu/work_model.h"

namespace slowtoken::demo {
namespace {

namespace ls = slowtoken::llmserve;
constexpr TimeNs kLost = 1'000'000;  // waking up later than this after the GPU's end is a moment lost

llmserve_iter Describe(const Plan& plan) {
  llmserve_iter info;
  info.iter = plan.iter;
  info.kv_used = plan.kv_used;
  info.kv_total = plan.kv_total;
  info.waiting = plan.waiting;
  if (plan.bucket > 0) info.flags |= LLMSERVE_GRAPH;
  if (plan.mixed) info.flags |= LLMSERVE_MIXED;
  return info;
}

ForwardShape EagerShape(const Config& config, const Plan& plan) {
  ForwardShape shape{.layers = static_cast<int>(config.layers),
                     .hidden = static_cast<int>(config.hidden),
                     .block_tokens = static_cast<int>(config.block_tokens),
                     .tokens = 0,
                     .rows = static_cast<int>(plan.rows.size()),
                     .all_reduce = config.all_reduce != 0,
                     .prefill = false,
                     .launch_rounds = config.launch_rounds,
                     .ranges = false};
  for (const PlanRow& row : plan.rows) {
    shape.tokens += static_cast<int>(row.n_tok);
    shape.prefill = shape.prefill || (row.kind != 'd' && row.kind != 'v');
  }
  return shape;
}

ForwardWork EagerWork(const Config& config, const Plan& plan) {
  int64_t sequences = 0, prompt_tokens = 0;
  for (const PlanRow& row : plan.rows) {
    const bool decode = row.kind == 'd' || row.kind == 'v';
    (decode ? sequences : prompt_tokens) += decode ? 1 : row.n_tok;
  }
  return SpreadWork(config, sequences, prompt_tokens);
}

}  // namespace

GpuWorker::GpuWorker(const Config& config, uint64_t seed, TruthFile& truth)
    : config_(config), sampler_(config, seed), truth_(truth), memory_(config), orders_(config, memory_, graphs_) {}

absl::Status GpuWorker::Start() {
  const ls::Scope load{ls::Work{LLMSERVE_MODEL_LOAD, "demo"}};
  RegisterSimulatedCosts();
  if (absl::Status status = CudaStatus(cudaSetDevice(0), "cudaSetDevice"); !status.ok())
    return absl::InternalError(
        absl::StrCat(status.message(), "; without a GPU, `slowtoken run --sim -- slowtoken-demo` simulates one"));
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  for (cudaEvent_t* event : {&graph_start_, &start_, &sample_start_})
    SLOWTOKEN_RETURN_IF_CUDA_ERROR(cudaEventCreate(event));
  for (cudaEvent_t* event : {&computed_, &done_})  // waited for: by sleeping, not by spinning
    SLOWTOKEN_RETURN_IF_CUDA_ERROR(cudaEventCreateWithFlags(event, cudaEventBlockingSync));
  if (absl::Status status = memory_.Allocate(); !status.ok()) return status;
  const ForwardShape shape{.layers = 1,
                           .hidden = static_cast<int>(config_.hidden),
                           .block_tokens = 1,
                           .tokens = 1,
                           .rows = 1,
                           .all_reduce = false,
                           .prefill = false,
                           .ranges = false};
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(LaunchInit(memory_.device(), shape, stream_));
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(cudaStreamSynchronize(stream_));
  if (absl::Status status = graphs_.Capture(config_, memory_, graph_start_, stream_); !status.ok()) return status;
  return clock_.Start();
}

PlanResult GpuWorker::Run(const Plan& plan) {
  PlanResult result;
  result.iter = plan.iter;
  result.rows.resize(plan.rows.size());
  absl::Status status = orders_.InFront(plan, stream_, result);
  const ls::Scope iteration{ls::Iteration{Describe(plan)}};
  if (status.ok()) status = RunOnGpu(plan, result);
  if (!status.ok()) result.error = std::string(status.message());
  return result;
}

absl::Status GpuWorker::RunOnGpu(const Plan& plan, PlanResult& result) {
  if (absl::Status status = Prepare(plan, result); !status.ok()) return status;
  if (absl::Status status = Draft(plan, result); !status.ok()) return status;
  result.forward.start = NowNs();
  if (absl::Status status = Forward(plan, result); !status.ok()) return status;
  result.forward.end = NowNs();
  result.sample.start = NowNs();
  if (absl::Status status = Sample(plan, result); !status.ok()) return status;
  result.sample.end = NowNs();
  ReadTimes(result);
  orders_.AtEnd(plan, result);
  return absl::OkStatus();
}

absl::Status GpuWorker::Prepare(const Plan& plan, PlanResult& result) {
  const ls::Scope part{ls::Part{LLMSERVE_PREPARE}};
  if (absl::Status status = orders_.InPrepare(plan, result); !status.ok()) return status;
  sampled_ = memory_.Pack(plan);
  return memory_.SendInput(stream_);
}

// The draft model's passes, in front of a verifying iteration.
absl::Status GpuWorker::Draft(const Plan& plan, PlanResult& result) {
  const bool drafts = !plan.rows.empty() && plan.rows.front().kind == 'v';
  first_ = plan.bucket > 0 && !drafts ? graph_start_ : start_;
  if (!drafts) return absl::OkStatus();
  const ls::Scope part{ls::Part{LLMSERVE_DRAFT}};
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(cudaEventRecord(start_, stream_));
  for (int64_t i = 0; i < config_.speculative_tokens; ++i, ++result.kernels)
    SLOWTOKEN_RETURN_IF_CUDA_ERROR(
        LaunchDraft(memory_.device(), EagerShape(config_, plan), DraftWorkNs(config_), stream_));
  return absl::OkStatus();
}

absl::Status GpuWorker::Forward(const Plan& plan, PlanResult& result) {
  const ls::Scope part{ls::Part{LLMSERVE_FORWARD}};
  result.graph = plan.bucket > 0;
  if (absl::Status status = orders_.InForward(plan, graph_start_, stream_, result); !status.ok()) return status;
  const absl::Status status =
      result.graph ? graphs_.Launch(plan.bucket, stream_, result.kernels) : LaunchEagerly(plan, result);
  if (!status.ok()) return status;
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(cudaEventRecord(computed_, stream_));
  return absl::OkStatus();
}

absl::Status GpuWorker::LaunchEagerly(const Plan& plan, PlanResult& result) {
  if (result.kernels == 0) SLOWTOKEN_RETURN_IF_CUDA_ERROR(cudaEventRecord(start_, stream_));
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(LaunchForward(memory_.device(), memory_.input(), EagerShape(config_, plan),
                                               EagerWork(config_, plan), stream_, result.kernels));
  return absl::OkStatus();
}

// Launches sampling and readback where a row yields a token, waits for the GPU, and samples on the CPU.
absl::Status GpuWorker::Sample(const Plan& plan, PlanResult& result) {
  const ls::Scope part{ls::Part{LLMSERVE_SAMPLE}};
  if (sampled_ == 0) return Await(computed_);
  const uint64_t work_ns = SampleWorkNs(config_, sampled_) + static_cast<uint64_t>(orders_.ExtraSampling(plan));
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(cudaEventRecord(sample_start_, stream_));
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(LaunchSample(memory_.device(), memory_.input(), EagerShape(config_, plan),
                                              static_cast<int>(sampled_), work_ns, stream_));
  ++result.kernels;
  if (absl::Status status = memory_.FetchCandidates(sampled_, stream_); !status.ok()) return status;
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(cudaEventRecord(done_, stream_));
  if (absl::Status status = Await(done_); !status.ok()) return status;
  orders_.InSample(plan, result);
  for (int64_t row = 0, sampled = 0; row < static_cast<int64_t>(plan.rows.size()); ++row) {
    const PlanRow& planned = plan.rows[static_cast<size_t>(row)];
    if (!planned.yields) continue;
    result.rows[static_cast<size_t>(row)].tokens =
        sampler_.Sample(planned.id, planned.n_answer, planned.kind == 'v', memory_.CandidatesOf(sampled++));
  }
  return absl::OkStatus();
}

absl::Status GpuWorker::Await(cudaEvent_t event) {
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(cudaEventSynchronize(event));
  gpu_waited_ = NowNs();
  return absl::OkStatus();
}

void GpuWorker::ReadTimes(PlanResult& result) {
  if (!truth_.enabled()) return;
  const TimeNs before = result.forward.start;
  result.gpu = {clock_.ToHost(first_, before), clock_.ToHost(computed_, before)};
  if (sampled_ > 0) result.gpu_sample = {clock_.ToHost(sample_start_, before), clock_.ToHost(done_, before)};
  const TimeNs gpu_end = sampled_ > 0 ? result.gpu_sample.end : result.gpu.end;
  if (gpu_end > 0 && gpu_waited_ - gpu_end > kLost)
    truth_.Add(JitterJson({gpu_end, gpu_waited_}, "gpu-wait", gpu_waited_ - gpu_end));
}

}  // namespace slowtoken::demo
