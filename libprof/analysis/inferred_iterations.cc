#include "analysis/inferred_iterations.h"

#include <algorithm>

namespace slowtoken::analysis {

using attribution::GpuOperation;
using record::ApiClass;

namespace {

std::optional<LaunchedWork::Call> CallOf(ApiClass api_class) {
  if (api_class == ApiClass::kKernelLaunch) return LaunchedWork::kKernels;
  if (api_class == ApiClass::kGraphLaunch) return LaunchedWork::kGraph;
  if (api_class == ApiClass::kMemcpy) return LaunchedWork::kReadback;
  return std::nullopt;
}

}  // namespace

const KernelRole& InferredIterations::RoleOf(record::ShapeId shape) {
  if (shape >= roles_.size()) roles_.resize(shape + size_t{1});
  std::optional<KernelRole>& role = roles_[shape];
  if (!role) role = analysis::RoleOf(dictionary_->text(dictionary_->shape(shape).name));
  return *role;
}

void InferredIterations::AddKernel(record::ShapeId shape, Step& step) {
  const KernelRole& role = RoleOf(shape);
  ++step.work.kernels;
  step.work.sampling |= role.sampling;
  step.work.model |= role.model;
  step.work.prefill_attention |= role.prefill_attention;
  step.work.decode_attention |= role.decode_attention;
  step.other_than_preparing |= !role.preparing;
}

void InferredIterations::AddWork(const attribution::GpuRecord& record, const attribution::Launch& launch) {
  if (off_) return;
  Step& step = joining_[&launch];
  step.readback |= record.operation == GpuOperation::kReadback;
  if (!record.is_compute()) return;
  if (record.graph_id != 0) step.work.graph_id = record.graph_id;
  if (record.operation == GpuOperation::kGraph) {
    step.other_than_preparing = step.work.model = true;
  } else {
    AddKernel(record.shape, step);
  }
  if (!IsInterval(record.start, record.end)) return;
  step.intervals.emplace_back(record.start, record.end);
  step.work.gpu_start = step.work.gpu_start == 0 ? record.start : std::min(step.work.gpu_start, record.start);
  step.work.gpu_end = std::max(step.work.gpu_end, record.end);
}

void InferredIterations::Add(const attribution::Launch& launch) {
  if (off_) return;
  auto joined = joining_.extract(&launch);
  const std::optional<LaunchedWork::Call> call = CallOf(launch.api_class);
  if (!call || !IsInterval(launch.start, launch.end)) return;
  Step step = joined.empty() ? Step{} : std::move(joined.mapped());
  if (*call == LaunchedWork::kReadback && !step.readback) return;
  step.work.call = *call;
  step.work.start = launch.start;
  step.work.end = launch.end;
  step.work.sampling &= *call == LaunchedWork::kKernels;
  step.work.preparing = step.work.kernels != 0 && !step.other_than_preparing;
  step.thread = attribution::ThreadKey(launch.process(), launch.thread);
  step.process = launch.process();
  Keep(std::move(step));
}

void InferredIterations::AddWait(const record::ApiCall& call) {
  if (off_ || call.api_class != ApiClass::kSynchronize) return;
  if (call.captured || call.return_value != 0 || !IsInterval(call.start, call.end)) return;
  Step step;
  step.work.call = LaunchedWork::kWait;
  step.work.start = call.start;
  step.work.end = call.end;
  step.thread = attribution::ThreadKey(call.process, call.thread);
  step.process = call.process;
  Keep(std::move(step));
}

void InferredIterations::Keep(Step step) {
  steps_.push_back(std::move(step));
  if (steps_.size() == kMostSteps) Settle(kLastTime);
}

void InferredIterations::Add(const record::Annotation& annotation) {
  if (off_ || !record::IsIterationRange(annotation.name)) return;
  off_ = true;
  joining_.clear();
  steps_.clear();
  threads_.clear();
  all_.clear();
}

void InferredIterations::Settle(TimeNs told_until) {
  const auto later = std::partition(steps_.begin(), steps_.end(),
                                    [told_until](const Step& step) { return step.work.start < told_until; });
  std::sort(steps_.begin(), later, [](const Step& a, const Step& b) {
    return a.work.start != b.work.start ? a.work.start < b.work.start : a.work.end > b.work.end;
  });
  for (auto step = steps_.begin(); step != later; ++step) Take(threads_[step->thread], *step);
  steps_.erase(steps_.begin(), later);
}

void InferredIterations::Finish() {
  Settle(attribution::kForever);
  for (auto& [id, thread] : threads_) Close(thread);
  std::stable_sort(all_.begin(), all_.end(),
                   [](const InferredIteration& a, const InferredIteration& b) { return a.start < b.start; });
}

void InferredIterations::Take(Thread& thread, const Step& step) {
  const LaunchedWork& work = step.work;
  if (thread.boundaries.Begins(work)) Close(thread);
  InferredIteration& open = thread.open;
  if (work.call == LaunchedWork::kWait || work.call == LaunchedWork::kReadback) return;
  open.process = step.process;
  open.start = open.start == 0 ? work.start : open.start;
  open.end = std::max(open.end, work.end);
  open.kernels += work.kernels;
  open.graph_launches += work.call == LaunchedWork::kGraph;
  thread.has_model = thread.has_model || work.model || work.call == LaunchedWork::kGraph;
  thread.has_prefill = thread.has_prefill || work.prefill_attention;
  thread.has_decode = thread.has_decode || work.decode_attention;
  thread.intervals.insert(thread.intervals.end(), step.intervals.begin(), step.intervals.end());
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
  open = {};
  thread.intervals.clear();
  thread.has_model = thread.has_prefill = thread.has_decode = false;
}

}  // namespace slowtoken::analysis
