#include "attribution/engine.h"

#include <algorithm>

#include "rules/kernel_category.h"

namespace slowtoken::attribution {

using record::AnnotationName;

bool Engine::Init(base::Arena& arena, const EngineConfig& config, const record::Dictionary& dictionary,
                  base::LossCounters& losses, record::EventVisitor& out) {
  config_ = config;
  dictionary_ = &dictionary;
  out_ = &out;
  const Limits& limits = config.limits;
  watermarks_ = arena.AllocateArray<TimeNs>(std::max(config.process_count, 1u));
  known_until_ = arena.AllocateArray<TimeNs>(std::max(config.process_count, 1u));
  shape_operation_ = arena.AllocateArray<uint8_t>(limits.shapes);
  const bool tables =
      !watermarks_.empty() && !known_until_.empty() && !shape_operation_.empty() &&
      intervals_.Init(arena, limits.interval_blocks, limits.interval_scratch, losses) &&
      iterations_.Init(arena, limits.iterations, intervals_, losses) &&
      ranges_.Init(arena, limits.threads, limits.ranges, losses) &&
      batches_.Init(arena, limits.batch_groups, limits.batch_spans, limits.batch_marks, limits.batch_rows, losses) &&
      requests_.Init(arena, limits, losses) && host_work_.Init(arena, limits.host_work, losses) &&
      activity_.Init(arena, limits.off_cpu, limits.cpu_samples, losses) && habits_.Init(arena) &&
      blind_.Init(arena, limits.source_changes) && devices_.Init(arena, dictionary) &&
      partition_.Init(arena, limits.interval_scratch, losses) &&
      own_gpu_time_.Init(arena, limits.interval_scratch, intervals_, partition_) && rule_.Init(arena, config) &&
      watch_.Init(arena, config, losses) && metrics_.Init(arena) && first_rule_.Init(arena, config) &&
      absence_.Init(arena, limits) && device_time_.Init(arena, limits.gpu_pieces, absence_, blind_);
  return tables && ttft_phases_.Init(requests_, iterations_, devices_, partition_, own_gpu_time_) &&
         gpu_join_.Init(arena, config, {iterations_, intervals_, ranges_, devices_, device_time_, metrics_, losses}) &&
         iteration_pass_.Init(
             arena, config,
             {&iterations_, &intervals_, &ranges_, &batches_, &requests_, &habits_, &metrics_, &losses, &out}) &&
         emission_pass_.Init(arena, config,
                             {&requests_, &iterations_, &intervals_, &iteration_pass_, &ttft_phases_, &first_causes_,
                              &gap_phases_, &stall_causes_, &blind_, &rule_, &watch_, &metrics_, &losses, &out}) &&
         request_pass_.Init(arena, config,
                            {&requests_, &iteration_pass_, &emission_pass_, &ttft_phases_, &first_causes_, &first_rule_,
                             &blind_, &metrics_, &out});
}

GpuOperation Engine::AskOperation(record::ShapeId shape) {
  const rules::KernelCategory category = rules::CategoryOf(dictionary_->text(dictionary_->shape(shape).name));
  GpuOperation operation = GpuOperation::kKernel;
  if (rules::IsCollective(category)) operation = GpuOperation::kCollectiveKernel;
  if (rules::IsSampling(category)) operation = GpuOperation::kSampleKernel;
  if (shape < shape_operation_.size()) shape_operation_[shape] = static_cast<uint8_t>(static_cast<int>(operation) + 1);
  return operation;
}

template <typename Event>
GpuRecord Engine::RecordOf(const Event& event, GpuOperation operation) {
  return {.start = event.start,
          .end = event.end,
          .correlation = event.correlation,
          .lane = event.lane,
          .process = event.process,
          .operation = operation,
          .device = devices_.IndexOf(event.lane, event.process)};
}

void Engine::On(const record::Kernel& kernel) {
  GpuRecord record = RecordOf(kernel, OperationOf(kernel.shape));
  record.shape = kernel.shape;
  record.graph_id = kernel.graph_id;
  gpu_join_.Add(record);
}

void Engine::On(const record::Memcpy& copy) {
  const bool readback = copy.copy_kind == record::CopyKind::kDtoH;
  gpu_join_.Add(RecordOf(copy, readback ? GpuOperation::kReadback : GpuOperation::kOther));
}

void Engine::On(const record::Memset& memset) { gpu_join_.Add(RecordOf(memset, GpuOperation::kOther)); }

void Engine::On(const record::GraphLaunch& launch) {
  GpuRecord record = RecordOf(launch, GpuOperation::kGraph);
  record.graph_id = launch.graph_id;
  gpu_join_.Add(record);
}

void Engine::On(const record::ApiCall& call) {
  gpu_join_.Add(call);
  host_work_.Add(call);
}

void Engine::On(const record::DeviceInfo& device) { devices_.Add(device); }

void Engine::On(const record::Annotation& annotation) {
  if (record::IsIterationRange(annotation.name)) return iteration_pass_.Add(annotation);
  switch (annotation.name) {
    case AnnotationName::kBatch:
      return batches_.Add(annotation);
    case AnnotationName::kKvRecv:
      requests_.Add(annotation);
      [[fallthrough]];
    case AnnotationName::kKvAlloc:
    case AnnotationName::kKvEvict:
    case AnnotationName::kKvSwap:
    case AnnotationName::kKvSend:
    case AnnotationName::kJit:
    case AnnotationName::kGc:
    case AnnotationName::kAdapterLoad:
    case AnnotationName::kModelLoad:
      return host_work_.Add(annotation);
    case AnnotationName::kReqTokenize:
      host_work_.Add(annotation);
      [[fallthrough]];
    default:
      watch_.Add(annotation);
      return requests_.Add(annotation);
  }
}

TimeNs Engine::JointWatermark() const { return *std::min_element(watermarks_.begin(), watermarks_.end()); }

void Engine::On(const record::Advance& advance) {
  if (advance.process >= watermarks_.size()) return;
  TimeNs& watermark = watermarks_[advance.process];
  watermark = std::max(watermark, advance.watermark);
  if (watermark != kForever) known_until_[advance.process] = watermark;
  const TimeNs joint = JointWatermark();
  if (joint <= concluded_ || joint == kForever) return;
  Conclude(joint, advance.now);
}

void Engine::Finish() { Conclude(kForever, 0); }

void Engine::Conclude(TimeNs watermark, TimeNs now) {
  concluded_ = watermark;
  const uint64_t lateness = config_.settle_ns / 2;
  const TimeNs settled = watermark == kForever ? kForever : watermark - std::min(watermark, lateness);
  batches_.ApplyUntil(settled);
  iteration_pass_.ResolveRanges(settled);
  gpu_join_.Run(settled, now);
  const TimeNs counted = settled == kForever ? kForever : settled - std::min(settled, config_.settle_ns);
  absence_.Follow(requests_, counted);
  device_time_.Settle(counted);
  iteration_pass_.Seal(watermark);
  own_gpu_time_.Forget();
  emission_pass_.Run(watermark);
  request_pass_.Run(watermark);
  iterations_.TrimIntervals();
  const uint64_t memory = config_.settle_ns + 2 * config_.deadline_ns;
  if (watermark == kForever) return;
  ranges_.Prune(watermark - std::min(watermark, memory), settled);
  if (watermark < memory) return;
  batches_.Prune(watermark - memory);
  host_work_.Prune(watermark - std::min(watermark, 2 * memory));
  activity_.Prune(watermark - std::min(watermark, 2 * memory));
  requests_.ForgetDone(watermark - std::min(watermark, 2 * memory));
}

void Engine::EmitCounters(record::EventVisitor& out) const {
  metrics_.EmitCounters(out);
  for (uint32_t device = 0; device < devices_.count(); ++device) EmitDeviceCounters(device, out);
  for (size_t process = 0; process < known_until_.size(); ++process) {
    EmitBlindCounters(static_cast<record::ProcessIndex>(process), out);
  }
}

// Up to what is known to have happened: an interval that lasts grows with the watermark.
void Engine::EmitBlindCounters(record::ProcessIndex process, record::EventVisitor& out) const {
  for (const record::Source source : {record::Source::kCupti, record::Source::kNvtx, record::Source::kNccl}) {
    BlindIntervals::Lengths lengths{};
    blind_.AddLengths(process, source, known_until_[process], &lengths);
    for (uint32_t reason = 0; reason < lengths.size(); ++reason) {
      if (lengths[reason] == 0) continue;
      out.On(record::CounterSnapshot{.value = lengths[reason],
                                     .label = reason,
                                     .detail = static_cast<uint32_t>(source),
                                     .counter = record::Counter::kBlindNs,
                                     .process = process});
    }
  }
}

void Engine::EmitDeviceCounters(uint32_t device, record::EventVisitor& out) const {
  const DeviceTime::Totals& totals = device_time_.totals(device);
  if (!totals.seen) return;
  record::CounterSnapshot snapshot{.value = totals.busy_ns,
                                   .label = devices_.ordinal(device),
                                   .counter = record::Counter::kGpuBusyNs,
                                   .process = devices_.process(device)};
  out.On(snapshot);
  snapshot.counter = record::Counter::kGpuIdleNs;
  for (uint32_t reason = 0; reason < totals.idle_ns.size(); ++reason) {
    const auto idle = static_cast<record::IdleReason>(reason);
    if (idle == record::IdleReason::kNoWork && !absence_.known()) continue;
    const bool by_launch = idle == record::IdleReason::kHost || idle == record::IdleReason::kDependency;
    if (by_launch && !totals.launches_known) continue;
    snapshot.value = totals.idle_ns[reason];
    snapshot.detail = reason;
    out.On(snapshot);
  }
}

}  // namespace slowtoken::attribution
