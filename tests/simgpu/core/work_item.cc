#include "simgpu/core/work_item.h"

#include <cstring>

#include "simgpu/core/capture.h"
#include "simgpu/core/clock.h"
#include "simgpu/core/context.h"
#include "simgpu/core/cost_model.h"
#include "simgpu/core/effects.h"
#include "simgpu/core/event.h"
#include "simgpu/core/module.h"
#include "simgpu/core/records.h"
#include "simgpu/core/timeline.h"

namespace simgpu {
namespace {

Step KernelStep(const WorkItem& item, Stream* stream, GraphIds ids) {
  Step step;
  Function& function = *item.kernel.function;
  RefreshModel(function.model, function.info.name);
  const SimgpuLaunch launch = LaunchView(item.kernel, stream->context->device);
  step.cost = KernelCost(function.model, launch);
  if (function.model.body != nullptr) step.effect = BodyEffect(item.kernel, stream->context->device);
  if (WantedFor(SIMGPU_WANT_KERNEL, ids)) step.slot = ReserveSlot(KernelRecord(item.kernel, stream, ids));
  return step;
}

Step CopyStep(const WorkItem& item, Stream* stream, GraphIds ids) {
  Step step;
  const CopyPlan plan = PlanCopy(item.copy);
  step.cost = TransferCost(plan.transfer, item.copy.Bytes());
  step.engine = plan.engine;
  step.effect = CopyEffect(item.copy);
  if (WantedFor(SIMGPU_WANT_MEMCPY, ids)) step.slot = ReserveSlot(CopyRecord(item.copy, plan, stream, ids));
  return step;
}

Step SetStep(const WorkItem& item, Stream* stream, GraphIds ids) {
  Step step;
  step.cost = TransferCost(Transfer::kSet, uint64_t{item.set.width} * item.set.element * item.set.height);
  step.effect = SetEffect(item.set);
  if (WantedFor(SIMGPU_WANT_MEMSET, ids)) step.slot = ReserveSlot(SetRecord(item.set, stream, ids));
  return step;
}

Step HostStepOf(const WorkItem& item, Stream* stream, GraphIds ids) {
  Step step;
  step.on_device_thread = true;
  step.effect = HostEffect(item.host);
  if (WantedFor(SIMGPU_WANT_HOST_FUNCTION, ids)) step.slot = ReserveSlot(HostRecord(item.host, stream, ids));
  return step;
}

Step EventStep(const WorkItem& item, Stream* stream, GraphIds ids) {
  Step step;
  step.point = BeginRecord(item.event);
  if (WantedFor(SIMGPU_WANT_EVENT, ids)) step.slot = ReserveSlot(EventRecord(*item.event, stream, ids));
  return step;
}

Step FreeStep(const WorkItem& item) {
  Step step;
  step.effect = [address = item.address] { Release(address, MemoryKind::kDevice); };
  return step;
}

}  // namespace

Step MakeStep(const WorkItem& item, Stream* stream, GraphIds ids) {
  switch (item.kind) {
    case WorkKind::kKernel:
      return KernelStep(item, stream, ids);
    case WorkKind::kCopy:
      return CopyStep(item, stream, ids);
    case WorkKind::kSet:
      return SetStep(item, stream, ids);
    case WorkKind::kHost:
      return HostStepOf(item, stream, ids);
    case WorkKind::kEventRecord:
      return EventStep(item, stream, ids);
    case WorkKind::kFree:
      return FreeStep(item);
    case WorkKind::kAllocate:
    case WorkKind::kEventWait:
    case WorkKind::kEmpty:
      break;
  }
  return {};
}

CUresult Dispatch(Stream* stream, WorkItem item, uint64_t* sequence) {
  if (sequence != nullptr) *sequence = 0;
  if (stream->capturing.load(std::memory_order_acquire)) return CaptureNode(stream, std::move(item), nullptr);
  if (const CUresult refused = CheckImplicitCapture(stream); refused != CUDA_SUCCESS) return refused;
  Op op;
  op.step = MakeStep(item, stream, {});
  const uint64_t submitted = TheTimeline().Submit(stream, std::move(op));
  if (sequence != nullptr) *sequence = submitted;
  return CUDA_SUCCESS;
}

CUresult DispatchAndWait(Stream* stream, WorkItem item) {
  if (stream->capturing.load(std::memory_order_acquire)) return InvalidateCapture(stream);
  uint64_t sequence = 0;
  if (const CUresult result = Dispatch(stream, std::move(item), &sequence); result != CUDA_SUCCESS) return result;
  const uint64_t start = NowNs();
  TheTimeline().WaitFor(stream, sequence);
  if (Wanted(SIMGPU_WANT_SYNC)) EmitSynchronization(stream, kSyncStream, start);
  return CUDA_SUCCESS;
}

void ClassifyCopy(CopyWork& copy) {
  const PointerInfo source = Classify(copy.source), destination = Classify(copy.destination);
  copy.source_kind = source.kind;
  copy.source_device = source.device;
  copy.destination_kind = destination.kind;
  copy.destination_device = destination.device;
}

void CopyArguments(KernelWork& kernel, void** parameters, void** extra, bool force) {
  Function& function = *kernel.function;
  RefreshModel(function.model, function.info.name);
  if (!force && function.model.body == nullptr && function.model.function == nullptr) return;
  auto arguments = std::make_shared<Arguments>();
  const auto& table = function.info.parameters;
  size_t total = 0;
  for (const auto& parameter : table) total = std::max<size_t>(total, size_t{parameter.offset} + parameter.size);
  arguments->bytes.resize(total);
  const void* packed = nullptr;
  for (void** item = extra; item != nullptr && *item != CU_LAUNCH_PARAM_END; item += 2) {
    if (*item == CU_LAUNCH_PARAM_BUFFER_POINTER) packed = item[1];
  }
  for (size_t i = 0; i < table.size(); ++i) {
    uint8_t* to = arguments->bytes.data() + table[i].offset;
    if (packed != nullptr) {
      std::memcpy(to, static_cast<const uint8_t*>(packed) + table[i].offset, table[i].size);
    } else if (parameters != nullptr) {
      std::memcpy(to, parameters[i], table[i].size);
    }
    arguments->pointers.push_back(to);
  }
  kernel.arguments = std::move(arguments);
}

}  // namespace simgpu
