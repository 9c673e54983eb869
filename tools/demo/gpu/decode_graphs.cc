#include "gpu/decode_graphs.h"

#include "gpu/cuda_status.h"
#include "gpu/work_model.h"

namespace slowtoken::demo {
namespace {

ForwardShape DecodeShape(const Config& config, int64_t bucket) {
  return {.layers = static_cast<int>(config.layers),
          .hidden = static_cast<int>(config.hidden),
          .block_tokens = static_cast<int>(config.block_tokens),
          .tokens = static_cast<int>(bucket * (1 + config.speculative_tokens)),
          .rows = static_cast<int>(bucket),
          .all_reduce = config.all_reduce != 0,
          .prefill = false,
          .ranges = true};
}

}  // namespace

absl::Status DecodeGraphs::Capture(const Config& config, const GpuMemory& memory, cudaEvent_t start,
                                   cudaStream_t stream) {
  for (const int64_t bucket : config.graph_buckets) {
    if (bucket > config.max_seqs) break;
    if (absl::Status status = Capture(bucket, config, memory, start, stream); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status DecodeGraphs::Capture(int64_t bucket, const Config& config, const GpuMemory& memory, cudaEvent_t start,
                                   cudaStream_t stream) {
  Graph& graph = graphs_[bucket];
  if (graph.exec) SLOWTOKEN_RETURN_IF_CUDA_ERROR(cudaGraphExecDestroy(graph.exec));
  graph = {};
  cudaGraph_t captured = nullptr;
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(cudaEventRecordWithFlags(start, stream, cudaEventRecordExternal));
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(LaunchForward(memory.device(), memory.input(), DecodeShape(config, bucket),
                                               SpreadWork(config, bucket, 0), stream, graph.kernels));
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(cudaStreamEndCapture(stream, &captured));
  SLOWTOKEN_RETURN_IF_CUDA_ERROR(cudaGraphInstantiate(&graph.exec, captured, 0));
  return CudaStatus(cudaGraphDestroy(captured), "cudaGraphDestroy");
}

std::vector<int64_t> DecodeGraphs::buckets() const {
  std::vector<int64_t> buckets;
  for (const auto& [bucket, graph] : graphs_) buckets.push_back(bucket);
  return buckets;
}

absl::Status DecodeGraphs::Launch(int64_t bucket, cudaStream_t stream, int64_t& kernels) const {
  const Graph& graph = graphs_.at(bucket);
  kernels += graph.kernels;
  return CudaStatus(cudaGraphLaunch(graph.exec, stream), "cudaGraphLaunch");
}

}  // namespace slowtoken::demo
