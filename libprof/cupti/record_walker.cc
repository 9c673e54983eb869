#include "cupti/record_walker.h"

#include "cupti/record_steps.h"

namespace slowtoken::cupti {
namespace {

template <typename Record>
const Record& As(const CUpti_Activity* record) {
  return *reinterpret_cast<const Record*>(record);
}

// Records of one kind that wait to be decoded together.
template <typename Record>
class Gathered {
 public:
  void Add(const CUpti_Activity* record, DecodeState& state, capture::CollectContext& context) {
    records_[count_++] = &As<Record>(record);
    if (count_ == records_.size()) DecodeAll(state, context);
  }
  void DecodeAll(DecodeState& state, capture::CollectContext& context) {
    if (count_ != 0) Decode(std::span(records_.data(), count_), state, context);
    count_ = 0;
  }

 private:
  size_t count_ = 0;
  std::array<const Record*, kDecodedAtOnce> records_;
};

// Of the kinds that do not come by the hundred thousand.
void DecodeOther(const CUpti_Activity* r, DecodeState& state, capture::CollectContext& context) {
  switch (r->kind) {
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return Decode(As<MemcpyRecord>(r), state, context);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return Decode(As<MemcpyPeerRecord>(r), state, context);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return Decode(As<MemsetRecord>(r), state, context);
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return Decode(As<GraphRecord>(r), state, context);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return Decode(As<SyncRecord>(r), state, context);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return Decode(As<OverheadRecord>(r), state, context);
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return Decode(As<DeviceRecord>(r), state, context);
    case CUPTI_ACTIVITY_KIND_CONTEXT:
      return Decode(As<ContextRecord>(r), state, context);
    case CUPTI_ACTIVITY_KIND_STREAM:
      return Decode(As<StreamRecord>(r), state, context);
    default:
      context.losses.Add(base::Loss::kUnknownRecordKind);
  }
}

}  // namespace

void DecodeBuffer(const BufferPool::Buffer& buffer, DecodeState& state, capture::CollectContext& context) {
  if (buffer.bytes == 0 || state.api.get_next_record == nullptr) return;
  Gathered<KernelRecord> kernels;
  Gathered<ApiRecord> calls;
  RecordSteps steps(state.api.get_next_record, buffer.data, buffer.bytes);
  const CUptiResult end = steps.Walk([&](const CUpti_Activity* record) { kernels.Add(record, state, context); },
                                     [&](const CUpti_Activity* record) { calls.Add(record, state, context); },
                                     [&](const CUpti_Activity* record) { DecodeOther(record, state, context); });
  calls.DecodeAll(state, context);
  kernels.DecodeAll(state, context);
  if (end == CUPTI_ERROR_INVALID_KIND) {
    context.losses.Add(base::Loss::kUnfinishedRecord);
  } else if (end != CUPTI_ERROR_MAX_LIMIT_REACHED) {
    context.losses.Add(base::Loss::kFaultedCall);
  }
}

}  // namespace slowtoken::cupti
