// KinetoEvents: what happened on the GPU.
#include "absl/strings/str_cat.h"
#include "import/gpu_names.h"
#include "import/kineto_events.h"

namespace slowtoken::importing {
namespace {

// "7", "stream 7": the number at the end.
std::string_view LastNumber(std::string_view text) {
  size_t at = text.size();
  while (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9') --at;
  return text.substr(at);
}

template <typename Number>
Number NumberOf(std::string_view text) {
  return static_cast<Number>(WholeNumber(text).value_or(0));
}

record::CorrelationId CorrelationOf(const SourceEvent& event) {
  return NumberOf<record::CorrelationId>(event.Get(Arg::kCorrelation));
}

template <typename Work>
void SetGraph(const SourceEvent& event, Work& work) {
  work.graph_id = NumberOf<uint32_t>(event.Get(Arg::kGraphId));
  work.graph_node_id = NumberOf<uint64_t>(event.Get(Arg::kGraphNodeId));
}

int32_t DeviceOr(std::string_view text, int32_t absent) {
  return static_cast<int32_t>(WholeNumber(text).value_or(absent));
}

}  // namespace

record::LaneId KinetoEvents::LaneOf(const SourceEvent& event) {
  record::Lane lane;
  lane.device = NumberOf<uint32_t>(event.Has(Arg::kDevice) ? event.Get(Arg::kDevice) : event.pid);
  lane.context = NumberOf<uint32_t>(event.Get(Arg::kContext));
  lane.stream = NumberOf<uint32_t>(LastNumber(event.Has(Arg::kStream) ? event.Get(Arg::kStream) : event.tid));
  devices_.insert(lane.device);
  return dictionary_->InternLane(lane);
}

// Work without a time (bug log row 82: ts and dur 0) is kept, for its launch has it.
void KinetoEvents::AddGpu(const SourceEvent& event, EventKind kind, Times times) {
  const bool untimed = times.end == 0 || (event.ts == "0" && event.dur == "0");
  if (untimed) times = {};
  ++counts_.taken;
  switch (kind) {
    case EventKind::kKernel:
      return AddKernel(event, times);
    case EventKind::kMemcpy:
      return AddCopy(event, times);
    case EventKind::kMemset:
      return AddSet(event, times);
    case EventKind::kSynchronization:
      return AddSync(event, times);
    default:
      return AddGpuRange(event, kGpuAnnotationDomain, event.name, times);
  }
}

void KinetoEvents::AddKernel(const SourceEvent& event, const Times& times) {
  record::KernelShape shape;
  shape.name = dictionary_->InternText(event.name);
  for (size_t i = 0; i < 3; ++i) {
    shape.grid[i] = event.shape[0][i];
    shape.block[i] = event.shape[1][i];
  }
  shape.registers = NumberOf<uint32_t>(event.Get(Arg::kRegisters));
  shape.dynamic_shared = NumberOf<uint32_t>(event.Get(Arg::kSharedMemory));
  record::Kernel kernel;
  kernel.start = times.start;
  kernel.end = times.end;
  kernel.correlation = CorrelationOf(event);
  kernel.shape = dictionary_->InternShape(shape);
  kernel.lane = LaneOf(event);
  SetGraph(event, kernel);
  store_.Add(kernel);
  if (kernel.correlation != 0) of_kernels_.insert(kernel.correlation);
  if (event.Has(Arg::kCollective)) AddGpuRange(event, kCollectiveDomain, event.Get(Arg::kCollective), times);
}

void KinetoEvents::AddCopy(const SourceEvent& event, const Times& times) {
  const CopyEnds ends = CopyEndsOf(event.name, event.Get(Arg::kKind));
  record::Memcpy copy;
  copy.start = times.start;
  copy.end = times.end;
  copy.bytes = NumberOf<uint64_t>(event.Get(event.Has(Arg::kBytes) ? Arg::kBytes : Arg::kSize));
  copy.correlation = CorrelationOf(event);
  copy.lane = LaneOf(event);
  copy.copy_kind = ends.kind;
  copy.src = ends.src;
  copy.dst = ends.dst;
  copy.src_device = DeviceOr(event.Get(Arg::kFromDevice), -1);
  copy.dst_device = DeviceOr(event.Get(Arg::kToDevice), -1);
  SetGraph(event, copy);
  store_.Add(copy);
}

void KinetoEvents::AddSet(const SourceEvent& event, const Times& times) {
  record::Memset set;
  set.start = times.start;
  set.end = times.end;
  set.bytes = NumberOf<uint64_t>(event.Get(Arg::kBytes));
  set.correlation = CorrelationOf(event);
  set.lane = LaneOf(event);
  set.memory = SetMemoryOf(event.name);
  SetGraph(event, set);
  store_.Add(set);
}

void KinetoEvents::AddSync(const SourceEvent& event, const Times& times) {
  record::Synchronization sync;
  sync.start = times.start;
  sync.end = times.end;
  sync.correlation = CorrelationOf(event);
  sync.lane = LaneOf(event);
  sync.kind = SyncKindOf(event.name);
  store_.Add(sync);
}

// A range on a stream: it has no thread, and may overlap others.
void KinetoEvents::AddGpuRange(const SourceEvent& event, Domain domain, std::string_view message, const Times& times) {
  if (times.end == 0) return;  // an open range would say that it goes on
  const record::Lane lane = dictionary_->lane(LaneOf(event));
  fields_.clear();
  const auto number = [&](const char* name, uint64_t value) {
    fields_.push_back({dictionary_->InternText(name), record::PayloadType::kUint, value});
  };
  number("device", lane.device);
  number("stream", lane.stream);
  if (domain == kCollectiveDomain) AddCollectiveFields(event);
  record::NvtxRange range;
  range.start = times.start;
  range.end = times.end;
  range.range_id = ++gpu_ranges_;
  range.message = dictionary_->InternText(message);
  range.domain = Use(domain);
  range.fields = fields_;
  store_.Add(range);
}

void KinetoEvents::AddCollectiveFields(const SourceEvent& event) {
  struct Field {
    Arg arg;
    const char* name;
    bool text;
  };
  static constexpr Field kFields[] = {
      {Arg::kCollective, "collective", true},
      {Arg::kInElements, "in_elements", false},
      {Arg::kOutElements, "out_elements", false},
      {Arg::kDtype, "dtype", true},
      {Arg::kGroupSize, "group_size", false},
      {Arg::kGroupName, "group", true},
      {Arg::kGroupDescription, "group_description", true},
      {Arg::kGroupRanks, "group_ranks", true},
      {Arg::kRank, "rank", false},
      {Arg::kSeq, "seq", false},
      {Arg::kSrcRank, "src_rank", false},
      {Arg::kDstRank, "dst_rank", false},
  };
  for (const Field& field : kFields) {
    if (!event.Has(field.arg)) continue;
    const std::string_view value = event.Get(field.arg);
    const record::StringId name = dictionary_->InternText(field.name);
    if (field.text) {
      fields_.push_back({name, record::PayloadType::kText, dictionary_->InternText(value)});
    } else if (const std::optional<int64_t> number = WholeNumber(value)) {
      fields_.push_back({name, record::PayloadType::kInt, static_cast<uint64_t>(*number)});
    }
  }
}

}  // namespace slowtoken::importing
