#include "random_events.h"

namespace slowtoken::reader {

RandomEvents::RandomEvents(uint64_t seed, record::Dictionary& dictionary) : random_(seed) {
  texts_.push_back(0);
  shapes_.push_back(0);
  lanes_.push_back(0);
  for (int i = 0; i < 20; ++i) {
    std::string text(Below(60), '\0');
    for (char& c : text) c = static_cast<char>(Below(256));  // mostly no UTF-8
    texts_.push_back(dictionary.InternText(text));
  }
  for (int i = 0; i < 20; ++i) {
    extreme_ = i % 2 == 1;
    record::KernelShape s;
    s.name = Text();
    for (int d = 0; d < 3; ++d) {
      s.grid[d] = Any<uint32_t>();
      s.block[d] = Any<uint32_t>();
      s.cluster[d] = Any<uint32_t>();
    }
    s.registers = Any<uint32_t>();
    s.static_shared = Any<uint32_t>();
    s.dynamic_shared = Any<uint32_t>();
    s.local_per_thread = Any<uint32_t>();
    shapes_.push_back(dictionary.InternShape(s));
    lanes_.push_back(dictionary.InternLane({Any<uint32_t>(), Any<uint32_t>(), Any<uint32_t>(), 0}));
  }
}

uint64_t RandomEvents::Number() {
  static constexpr uint64_t kExtremes[] = {0,          1,          127,        128,        0x7fffffff,
                                           0x80000000, 0xffffffff, 1ull << 32, 1ull << 35, 0x7fffffffffffffff,
                                           1ull << 63, UINT64_MAX};
  if (extreme_) return kExtremes[Below(std::size(kExtremes))];
  return random_() >> Below(64);
}

std::vector<record::PayloadField> RandomEvents::Fields() {
  std::vector<record::PayloadField> fields(Below(4));
  for (record::PayloadField& field : fields) {
    field.name = Text();
    field.type = AnyEnum<record::PayloadType>(5);
    field.bits = field.type == record::PayloadType::kText ? Text() : Number();
  }
  return fields;
}

std::vector<record::BatchRow> RandomEvents::Rows() {
  std::vector<record::BatchRow> rows(Below(5));
  for (record::BatchRow& row : rows) {
    row = {Number(), Any<uint32_t>(), AnyEnum<record::RowKind>(5), AnyEnum<record::RowOp>(4)};
  }
  return rows;
}

void RandomEvents::Emit(int kind, bool extreme, record::EventVisitor& out) {
  extreme_ = extreme;
  if (kind < 4) return EmitGpu(kind, out);
  if (kind < 9) return EmitHost(kind, out);
  if (kind < 10) return EmitAnnotation(out);
  if (kind < 17) return EmitResource(kind, out);
  if (kind < 22) return EmitSession(kind, out);
  if (kind < 26) return EmitSummary(kind, out);
  EmitRecorder(kind, out);
}

void RandomEvents::EmitGpu(int kind, record::EventVisitor& out) {
  switch (kind) {
    case 0:
      return out.On(record::Kernel{Number(), Number(), Number(), Any<uint32_t>(), Any<uint32_t>(), Shape(), Lane(), 0});
    case 1:
      return out.On(record::Memcpy{Number(), Number(), Number(), Number(), Any<uint32_t>(), Any<uint32_t>(), Lane(), 0,
                                   AnyEnum<record::CopyKind>(11), AnyEnum<record::MemoryKind>(8),
                                   AnyEnum<record::MemoryKind>(8), Coin(), Any<int32_t>(), Any<int32_t>()});
    case 2:
      return out.On(record::Memset{Number(), Number(), Number(), Number(), Any<uint32_t>(), Any<uint32_t>(),
                                   Any<uint32_t>(), Lane(), 0, AnyEnum<record::MemoryKind>(8)});
    default:
      return out.On(record::GraphLaunch{Number(), Number(), Any<uint32_t>(), Any<uint32_t>(), Lane(), 0});
  }
}

void RandomEvents::EmitHost(int kind, record::EventVisitor& out) {
  switch (kind) {
    case 4:
      return out.On(record::ApiCall{Number(), Number(), Any<uint32_t>(), Any<uint32_t>(), Any<int32_t>(),
                                    Any<uint32_t>(), Text(), AnyEnum<record::ApiDomain>(2),
                                    AnyEnum<record::ApiClass>(9), Coin(), 0});
    case 5:
      return out.On(record::Synchronization{Number(), Number(), Any<uint32_t>(), Any<uint32_t>(), Lane(),
                                            AnyEnum<record::SyncKind>(5), 0});
    case 6:
      return out.On(record::Overhead{Number(), Number(), Any<uint32_t>(), AnyEnum<record::OverheadKind>(8), 0});
    case 7: {
      const std::vector<record::PayloadField> fields = Fields();
      return out.On(record::NvtxRange{Number(), Number(), Number(), Text(), Any<uint32_t>(), Any<uint32_t>(),
                                      Any<uint32_t>(), Any<uint32_t>(), Any<uint32_t>(), 0, fields});
    }
    default: {
      const std::vector<record::PayloadField> fields = Fields();
      return out.On(record::NvtxMark{Number(), Text(), Any<uint32_t>(), Any<uint32_t>(), Any<uint32_t>(),
                                     Any<uint32_t>(), 0, fields});
    }
  }
}

void RandomEvents::EmitAnnotation(record::EventVisitor& out) {
  record::Annotation e;
  e.name = AnyEnum<record::AnnotationName>(29);
  e.kind = AnyEnum<record::AnnotationKind>(3);
  e.batch_is_set = Coin();
  e.start = Number();
  e.end = Number();
  e.thread = Any<uint32_t>();
  e.end_thread = Any<uint32_t>();
  e.range_id = Number();
  for (size_t i = 0; i < record::kAnnotationFieldCount; ++i) {
    if (Below(3) == 0) continue;
    uint64_t value = Number();
    if (record::kAnnotationFieldTypes[i] == record::FieldType::kText) value = Text();
    if (record::kAnnotationFieldTypes[i] == record::FieldType::kWaitReason) value = Below(7);
    if (record::kAnnotationFieldTypes[i] == record::FieldType::kFinish) value = Below(6);
    e.Set(static_cast<record::AnnotationField>(i), value);
  }
  const std::vector<record::BatchRow> rows = Rows();
  e.rows = rows;
  out.On(e);
}

void RandomEvents::EmitResource(int kind, record::EventVisitor& out) {
  switch (kind) {
    case 10: {
      record::DeviceInfo d;
      for (uint8_t& byte : d.uuid) byte = Any<uint8_t>();
      d.is_mig = Coin();
      d.ordinal = Any<uint32_t>();
      d.name = Text();
      d.sm_count = Any<uint32_t>();
      d.compute_major = Any<uint32_t>();
      d.compute_minor = Any<uint32_t>();
      d.memory_bytes = Number();
      d.memory_bandwidth = Number();
      d.core_clock_khz = Any<uint32_t>();
      return out.On(d);
    }
    case 11:
      return out.On(record::ContextInfo{Any<uint32_t>(), Any<uint32_t>(), 0});
    case 12:
      return out.On(record::StreamInfo{Any<uint32_t>(), Any<uint32_t>(), Any<int32_t>(), 0});
    case 13:
      return out.On(record::ThreadInfo{Any<uint32_t>(), Text(), 0});
    case 14:
      return out.On(record::NvtxDomainInfo{Any<uint32_t>(), Text(), 0});
    case 15:
      return out.On(record::NvtxCategoryInfo{Any<uint32_t>(), Any<uint32_t>(), Text(), 0});
    default: {
      const std::string text(Below(40), static_cast<char>(Below(256)));
      return out.On(record::RequestIdText{Number(), text, 0});
    }
  }
}

void RandomEvents::EmitSession(int kind, record::EventVisitor& out) {
  switch (kind) {
    case 17:
      return out.On(record::ClockSnapshot{Number(), Number(), Number(), Number(), Number(), Any<uint32_t>(), 0});
    case 18: {
      record::LossTotals losses;
      for (uint64_t& count : losses.counts) count = Number();
      return out.On(losses);
    }
    case 19:
      return out.On(record::SourceStatus{AnyEnum<record::Source>(4), AnyEnum<record::SourceState>(9),
                                         AnyEnum<record::BlindReason>(record::kBlindReasonCount), Any<int32_t>(),
                                         Any<uint32_t>(), Text(), Number(), 0});
    case 20:
      return out.On(record::OwnCost{Number(), Number(), Number(), Number(), Number(), Number(), Number(), 0});
    default:
      return out.On(record::CaptureTotals{Number(), Number(), Number(), Number(), Number(), Number(), Number(), 0});
  }
}

void RandomEvents::EmitSummary(int kind, record::EventVisitor& out) {
  switch (kind) {
    case 22:
      return EmitRequestSummary(out);
    case 23:
      return EmitGapSummary(out);
    case 24:
      return EmitIterationSummary(out);
    default:
      return EmitHistogram(out);
  }
}

void RandomEvents::EmitRequestSummary(record::EventVisitor& out) {
  record::RequestSummary e;
  e.req = Number();
  e.arrival = Number();
  e.end = Number();
  e.has_ttft = Coin();
  e.finish = AnyEnum<record::FinishReason>(6);
  e.flags = Any<uint16_t>();
  for (uint64_t& ns : e.ttft_phases) ns = Coin() ? Number() : 0;
  for (uint64_t& ns : e.queue_by) ns = Coin() ? Number() : 0;
  for (uint64_t* field : {&e.ttft_ns, &e.prompt, &e.cached, &e.tokens, &e.gaps, &e.gpu_share_ns, &e.prefill_gpu_ns,
                          &e.prefill_collective_ns, &e.prefill_idle_ns}) {
    *field = Number();
  }
  e.preemptions = Any<uint32_t>();
  e.iterations = Any<uint32_t>();
  e.is_slow = Coin();
  e.largest_phase = AnyEnum<record::TtftPhase>(record::kTtftPhaseCount);
  e.excess_ns = Number();
  e.finding = Finding();
  out.On(e);
}

void RandomEvents::EmitGapSummary(record::EventVisitor& out) {
  record::GapSummary e;
  for (uint64_t* field : {&e.req, &e.start, &e.gap_ns, &e.interference_est_ns, &e.median_used_ns, &e.excess_ns}) {
    *field = Number();
  }
  e.n = Any<uint32_t>();
  e.n_new = Any<uint32_t>();
  for (uint64_t& ns : e.phases) ns = Coin() ? Number() : 0;
  e.has_interference = Coin();
  e.is_stall = Coin();
  e.largest_phase = AnyEnum<record::GapPhase>(record::kGapPhaseCount);
  e.flags = Any<uint16_t>();
  e.finding = Finding();
  out.On(e);
}

record::CauseFinding RandomEvents::Finding() {
  return {AnyEnum<record::Cause>(record::kCauseCount),
          AnyEnum<record::EvidenceKind>(record::kEvidenceCount),
          AnyEnum<record::Confidence>(3),
          Any<uint32_t>(),
          Number(),
          Number(),
          Number(),
          Number(),
          Number(),
          Number(),
          Number(),
          Number(),
          Number(),
          Any<uint32_t>(),
          Any<uint32_t>()};
}

void RandomEvents::EmitIterationSummary(record::EventVisitor& out) {
  record::IterationSummary e;
  e.key = {Number(), Any<uint32_t>(), Any<uint32_t>()};
  for (uint64_t* field : {&e.start, &e.end, &e.gpu_start, &e.gpu_end, &e.sample_end, &e.gpu_busy_ns, &e.collective_ns,
                          &e.kv_used, &e.kv_total, &e.waiting}) {
    *field = Number();
  }
  for (uint32_t* field :
       {&e.kernels, &e.graph_launches, &e.prefill_rows, &e.decode_rows, &e.prefill_tokens, &e.present}) {
    *field = Any<uint32_t>();
  }
  for (bool* field : {&e.graph, &e.dummy, &e.piecewise, &e.batch_known}) *field = Coin();
  const std::vector<record::BatchRow> rows = Rows();
  e.rows = rows;
  out.On(e);
}

void RandomEvents::EmitHistogram(record::EventVisitor& out) {
  std::vector<record::HistogramBucket> buckets(Below(6));
  for (record::HistogramBucket& bucket : buckets) bucket = {Any<uint32_t>(), Number()};
  out.On(
      record::HistogramSnapshot{AnyEnum<record::Metric>(7), Any<uint8_t>(), Number(), Number(), Number(), buckets, 0});
}

// Counters, detail level, triggers, conditions, and what the CPU side did.
void RandomEvents::EmitRecorder(int kind, record::EventVisitor& out) {
  switch (kind) {
    case 26:
      return out.On(
          record::CounterSnapshot{Number(), Any<uint32_t>(), Any<uint32_t>(), AnyEnum<record::Counter>(9), 0});
    case kDetailChange:
      return out.On(record::DetailChange{Number(), AnyEnum<record::DetailLevel>(4), AnyEnum<record::DetailReason>(5),
                                         AnyEnum<record::SampleUnit>(2), Any<uint32_t>(), Any<uint32_t>(),
                                         Any<uint32_t>(), 0});
    case 28:
      return out.On(record::Trigger{Number(), Number(), Number(), Number(), Any<uint32_t>(), Any<uint32_t>(), Number(),
                                    Number(), Number(), Text(), AnyEnum<record::TriggerKind>(6), 0});
    case 29:
      return out.On(record::Condition{Text(), Text(), 0});
    case 30:
      return EmitDeviceSample(out);
    case 31:
      return out.On(record::OffCpu{Number(), Number(), Any<uint32_t>(), AnyEnum<record::OffCpuReason>(2), Coin(), 0});
    case 32:
      return out.On(record::CpuSample{Number(), Number(), Number(), Number(), Any<uint32_t>(), Coin(), 0});
    default:
      return out.On(record::HostSample{Number(), Number(), Number(), Number(), 0});
  }
}

void RandomEvents::EmitDeviceSample(record::EventVisitor& out) {
  record::DeviceSample e;
  for (uint64_t* field : {&e.time, &e.throttle_reasons, &e.memory_used}) *field = Number();
  for (uint32_t* field : {&e.device, &e.present, &e.sm_clock_mhz, &e.memory_clock_mhz, &e.power_mw, &e.temperature_c,
                          &e.gpu_utilization, &e.memory_utilization}) {
    *field = Any<uint32_t>();
  }
  out.On(e);
}

}  // namespace slowtoken::reader
