#include "analysis/inferred_iterations.h"

#include <algorithm>

#include "rules/kernel_category.h"

namespace slowtoken::analysis {
namespace {

using record::ApiClass;

bool IsModel(std::string_view category) {
  constexpr std::string_view kGroups[] = {"attn.", "gemm", "moe.", "ssm", "norm", "rope", "activation"};
  return std::any_of(std::begin(kGroups), std::end(kGroups),
                     [category](std::string_view group) { return category.starts_with(group); });
}

}  // namespace

InferredIterations::Process& InferredIterations::Of(record::ProcessIndex process) {
  if (process >= processes_.size()) processes_.resize(process + size_t{1});
  return processes_[process];
}

const InferredIterations::Meaning& InferredIterations::MeaningOf(record::ShapeId shape) {
  if (shape >= meanings_.size()) meanings_.resize(shape + size_t{1});
  Meaning& meaning = meanings_[shape];
  if (meaning.known) return meaning;
  const rules::KernelCategory number = rules::CategoryOf(dictionary_->text(dictionary_->shape(shape).name));
  const std::string_view category = rules::CategoryName(number);
  meaning = {.known = true,
             .sampling = rules::IsSampling(number),
             .preparing = category.starts_with("step.") || category.starts_with("spec."),
             .model = IsModel(category),
             .prefill_attention = category == "attn.prefill",
             .decode_attention = category == "attn.decode"};
  return meaning;
}

void InferredIterations::Add(const record::Kernel& kernel) {
  if (off_ || kernel.correlation == 0) return;
  const Meaning meaning = MeaningOf(kernel.shape);
  GpuWork& work = Of(kernel.process).work[kernel.correlation];
  ++work.kernels;
  if (kernel.graph_id != 0) work.graph_id = kernel.graph_id;
  work.sampling |= meaning.sampling;
  work.model |= meaning.model;
  work.other_than_preparing |= !meaning.preparing;
  work.prefill_attention |= meaning.prefill_attention;
  work.decode_attention |= meaning.decode_attention;
  if (IsInterval(kernel.start, kernel.end)) work.intervals.emplace_back(kernel.start, kernel.end);
}

void InferredIterations::Add(const record::Memcpy& copy) {
  if (off_ || copy.correlation == 0 || copy.graph_node_id != 0) return;
  if (copy.copy_kind == record::CopyKind::kDtoH) Of(copy.process).work[copy.correlation].readback = true;
}

void InferredIterations::Add(const record::GraphLaunch& graph) {
  if (off_ || graph.correlation == 0) return;
  GpuWork& work = Of(graph.process).work[graph.correlation];
  work.graph_id = graph.graph_id;
  work.other_than_preparing = work.model = true;
  if (IsInterval(graph.start, graph.end)) work.intervals.emplace_back(graph.start, graph.end);
}

void InferredIterations::Add(const record::ApiCall& call) {
  if (off_ || call.captured || call.return_value != 0 || !IsInterval(call.start, call.end)) return;
  const bool of_use = call.api_class == ApiClass::kKernelLaunch || call.api_class == ApiClass::kGraphLaunch ||
                      call.api_class == ApiClass::kMemcpy || call.api_class == ApiClass::kSynchronize;
  if (!of_use) return;
  Process& process = Of(call.process);
  process.calls.push_back(call);
  if (process.calls.size() == kMostCalls) Settle(call.process, kLastTime);
}

void InferredIterations::Add(const record::Annotation& annotation) {
  if (off_ || !record::IsIterationRange(annotation.name)) return;
  off_ = true;
  processes_.clear();
  all_.clear();
}

void InferredIterations::Advance(record::ProcessIndex process, TimeNs watermark) {
  if (off_ || process >= processes_.size() || !IsTime(watermark) || watermark < kPatience) return;
  Settle(process, watermark - kPatience);
}

void InferredIterations::Finish() {
  for (size_t process = 0; process < processes_.size(); ++process) {
    Settle(static_cast<record::ProcessIndex>(process), kLastTime);
    for (auto& [id, thread] : processes_[process].threads) Close(thread);
  }
  processes_.clear();
  std::stable_sort(all_.begin(), all_.end(),
                   [](const InferredIteration& a, const InferredIteration& b) { return a.start < b.start; });
}

LaunchedWork InferredIterations::Launched(const record::ApiCall& call, const GpuWork& gpu) {
  LaunchedWork work;
  work.call = call.api_class == ApiClass::kSynchronize   ? LaunchedWork::kWait
              : call.api_class == ApiClass::kMemcpy      ? LaunchedWork::kReadback
              : call.api_class == ApiClass::kGraphLaunch ? LaunchedWork::kGraph
                                                         : LaunchedWork::kKernels;
  work.start = call.start;
  work.end = call.end;
  for (const auto& [start, end] : gpu.intervals) {
    work.gpu_start = work.gpu_start == 0 ? start : std::min(work.gpu_start, start);
    work.gpu_end = std::max(work.gpu_end, end);
  }
  work.graph_id = gpu.graph_id;
  work.kernels = gpu.kernels;
  work.sampling = gpu.sampling && work.call == LaunchedWork::kKernels;
  work.preparing = gpu.kernels != 0 && !gpu.other_than_preparing;
  work.model = gpu.model;
  work.prefill_attention = gpu.prefill_attention;
  work.decode_attention = gpu.decode_attention;
  return work;
}

void InferredIterations::Settle(record::ProcessIndex number, TimeNs until) {
  Process& process = processes_[number];
  const auto later = std::partition(process.calls.begin(), process.calls.end(),
                                    [until](const record::ApiCall& call) { return call.start <= until; });
  std::sort(process.calls.begin(), later, [](const record::ApiCall& a, const record::ApiCall& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  });
  for (auto call = process.calls.begin(); call != later; ++call) {
    Thread& thread = process.threads[call->thread];
    thread.open.process = number;
    const bool wait = call->api_class == ApiClass::kSynchronize;
    if (!wait && call->correlation == thread.last) continue;
    if (!wait) thread.last = call->correlation;
    const auto found = wait ? process.work.end() : process.work.find(call->correlation);
    const GpuWork gpu = found == process.work.end() ? GpuWork{} : std::move(found->second);
    if (found != process.work.end()) process.work.erase(found);
    if (call->api_class == ApiClass::kMemcpy && !gpu.readback) continue;
    Take(thread, Launched(*call, gpu), gpu);
  }
  process.calls.erase(process.calls.begin(), later);
}

void InferredIterations::Take(Thread& thread, const LaunchedWork& work, const GpuWork& gpu) {
  if (thread.boundaries.Begins(work)) Close(thread);
  InferredIteration& open = thread.open;
  if (work.call == LaunchedWork::kWait || work.call == LaunchedWork::kReadback) return;
  open.start = open.start == 0 ? work.start : open.start;
  open.end = std::max(open.end, work.end);
  open.kernels += work.kernels;
  open.graph_launches += work.call == LaunchedWork::kGraph;
  thread.has_model = thread.has_model || work.model || work.call == LaunchedWork::kGraph;
  thread.has_prefill = thread.has_prefill || work.prefill_attention;
  thread.has_decode = thread.has_decode || work.decode_attention;
  thread.intervals.insert(thread.intervals.end(), gpu.intervals.begin(), gpu.intervals.end());
}

// Attention says it where the kernel has one use; else a replay of a whole graph does: engines capture decoding.
InferredIteration::Kind InferredIterations::KindOf(const Thread& thread) {
  if (thread.has_prefill && thread.has_decode) return InferredIteration::kMixed;
  if (thread.has_prefill) return InferredIteration::kPrefill;
  const bool whole_graph = thread.open.graph_launches == 1;
  return thread.has_decode || whole_graph ? InferredIteration::kDecode : InferredIteration::kUnknown;
}

// What has no work of a model in it is no iteration: start-up, copies, other libraries.
void InferredIterations::Close(Thread& thread) {
  InferredIteration& open = thread.open;
  std::sort(thread.intervals.begin(), thread.intervals.end());
  for (const auto& [start, end] : thread.intervals) {
    const TimeNs from = std::max(start, open.gpu_end);
    if (end > from) open.busy_ns += end - from;
    open.gpu_start = open.gpu_start == 0 ? start : open.gpu_start;
    open.gpu_end = std::max(open.gpu_end, end);
  }
  open.kind = KindOf(thread);
  const bool decodes = open.kind == InferredIteration::kDecode;
  if (decodes && thread.last_decode_end != 0 && open.gpu_end > thread.last_decode_end)
    open.since_last_ns = open.gpu_end - thread.last_decode_end;
  if (thread.has_model) {
    all_.push_back(open);
    thread.last_decode_end = decodes ? open.gpu_end : 0;
  }
  open = {.process = open.process};
  thread.intervals.clear();
  thread.has_model = thread.has_prefill = thread.has_decode = false;
}

}  // namespace slowtoken::analysis
