// Describe: every field of an event as text, ids resolved through the dictionary, so that what was recorded and what
// was read can be compared although their ids differ. Written field by field on purpose: it shares nothing with the
// column tables that it checks.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "record/dictionary.h"
#include "record/visitor.h"

namespace slowtoken::reader {

class Describer {
 public:
  explicit Describer(const record::Dictionary& dictionary) : dictionary_(dictionary) {}

  std::string operator()(const record::Kernel& e) const {
    return Join("kernel", e.start, e.end, e.graph_node_id, e.graph_id, e.correlation, Shape(e.shape), Lane(e.lane));
  }
  std::string operator()(const record::Memcpy& e) const {
    return Join("memcpy", e.start, e.end, e.bytes, e.graph_node_id, e.graph_id, e.correlation, Lane(e.lane),
                int(e.copy_kind), int(e.src), int(e.dst), e.async, e.src_device, e.dst_device);
  }
  std::string operator()(const record::Memset& e) const {
    return Join("memset", e.start, e.end, e.bytes, e.graph_node_id, e.graph_id, e.value, e.correlation, Lane(e.lane),
                int(e.memory));
  }
  std::string operator()(const record::GraphLaunch& e) const {
    return Join("graph_launch", e.start, e.end, e.graph_id, e.correlation, Lane(e.lane));
  }
  std::string operator()(const record::ApiCall& e) const {
    return Join("api_call", e.start, e.end, e.correlation, e.cbid, e.return_value, e.thread, Text(e.name),
                int(e.domain), int(e.api_class), e.captured);
  }
  std::string operator()(const record::Synchronization& e) const {
    return Join("sync", e.start, e.end, e.correlation, e.event_id, Lane(e.lane), int(e.kind));
  }
  std::string operator()(const record::Overhead& e) const {
    return Join("overhead", e.start, e.end, e.thread, int(e.kind));
  }
  std::string operator()(const record::NvtxRange& e) const {
    return Join("range", e.start, e.end, e.range_id, Text(e.message), e.domain, e.category, e.color, e.thread,
                e.end_thread, Fields(e.fields));
  }
  std::string operator()(const record::NvtxMark& e) const {
    return Join("mark", e.time, Text(e.message), e.domain, e.category, e.color, e.thread, Fields(e.fields));
  }
  std::string operator()(const record::Annotation& e) const {
    std::string values;
    for (size_t i = 0; i < record::kAnnotationFieldCount; ++i) {
      if ((e.present >> i & 1) == 0) continue;
      const bool text = record::kAnnotationFieldTypes[i] == record::FieldType::kText;
      values += Join(i, text ? Text(static_cast<uint32_t>(e.values[i])) : std::to_string(e.values[i]));
    }
    return Join("annotation", record::kAnnotationTexts[size_t(e.name)], int(e.kind), e.batch_is_set, e.start, e.end,
                e.thread, e.end_thread, e.range_id, e.present, values, Rows(e.rows));
  }
  std::string operator()(const record::DeviceInfo& e) const {
    std::string uuid;
    for (const uint8_t byte : e.uuid) uuid += Join(int(byte));
    return Join("device", uuid, e.is_mig, e.ordinal, Text(e.name), e.sm_count, e.compute_major, e.compute_minor,
                e.memory_bytes, e.memory_bandwidth, e.core_clock_khz);
  }
  std::string operator()(const record::ContextInfo& e) const { return Join("context", e.context, e.device); }
  std::string operator()(const record::StreamInfo& e) const { return Join("stream", e.stream, e.context, e.priority); }
  std::string operator()(const record::ThreadInfo& e) const { return Join("thread", e.thread, Text(e.name)); }
  std::string operator()(const record::NvtxDomainInfo& e) const { return Join("domain", e.domain, Text(e.name)); }
  std::string operator()(const record::NvtxCategoryInfo& e) const {
    return Join("category", e.domain, e.category, Text(e.name));
  }
  std::string operator()(const record::RequestIdText& e) const {
    return Join("request_id", e.req, std::string(e.text));
  }
  std::string operator()(const record::ClockSnapshot& e) const {
    return Join("clock", e.monotonic, e.realtime, e.boottime, e.tsc, e.cupti, e.uncertainty_ns);
  }
  std::string operator()(const record::LossTotals& e) const {
    std::string counts;
    for (const uint64_t count : e.counts) counts += Join(count);
    return Join("losses", counts);
  }
  std::string operator()(const record::SourceStatus& e) const {
    return Join("source", int(e.source), int(e.state), int(e.reason), e.error, e.version, Text(e.detail), e.time);
  }
  std::string operator()(const record::OwnCost& e) const {
    return Join("own_cost", e.time, e.worker_cpu_ns, e.callback_ns, e.memory_bytes, e.bytes_written, e.flush_cpu_ns,
                e.cupti_overhead_ns);
  }
  std::string operator()(const record::CaptureTotals& e) const {
    return Join("totals", e.launches, e.launches_captured, e.kernels, e.graph_launches, e.memcpys, e.nvtx_events,
                e.annotations);
  }
  std::string operator()(const record::Advance& e) const { return Join("advance", e.watermark, e.now); }
  std::string operator()(const record::RequestSummary& e) const {
    return Join("request", e.req, e.arrival, e.end, e.has_ttft, int(e.finish), e.flags, e.ttft_ns, Array(e.ttft_phases),
                Array(e.queue_by), e.prompt, e.cached, e.tokens, e.gaps, e.gpu_share_ns, e.prefill_gpu_ns,
                e.prefill_collective_ns, e.prefill_idle_ns, e.preemptions, e.iterations, e.is_slow,
                int(e.largest_phase), e.excess_ns, Finding(e.finding));
  }
  std::string operator()(const record::GapSummary& e) const {
    return Join("gap", e.req, e.n, e.n_new, e.start, e.gap_ns, Array(e.phases), e.has_interference,
                e.interference_est_ns, e.median_used_ns, e.is_stall, int(e.largest_phase), e.excess_ns, e.flags,
                Finding(e.finding));
  }
  std::string operator()(const record::IterationSummary& e) const {
    return Join("iteration", e.key.iter, e.key.engine, e.key.dp_rank, e.start, e.end, e.gpu_start, e.gpu_end,
                e.sample_end, e.gpu_busy_ns, e.collective_ns, e.kernels, e.graph_launches, e.graph, e.dummy,
                e.piecewise, e.batch_known, e.prefill_rows, e.decode_rows, e.prefill_tokens, e.kv_used, e.kv_total,
                e.waiting, e.present, Rows(e.rows));
  }
  std::string operator()(const record::HistogramSnapshot& e) const {
    std::string buckets;
    for (const record::HistogramBucket& b : e.buckets) buckets += Join(b.index, b.count);
    return Join("histogram", int(e.metric), int(e.label), e.count, e.sum_ns, e.max_ns, buckets);
  }

  std::string operator()(const record::CounterSnapshot& e) const {
    return Join("counter", int(e.counter), e.label, e.detail, e.value);
  }
  std::string operator()(const record::DetailChange& e) const {
    return Join("detail", e.time, int(e.level), int(e.reason), int(e.unit), e.keep_one_in, e.cost_ppm, e.budget_ppm);
  }
  std::string operator()(const record::Trigger& e) const {
    return Join("trigger", e.time, e.window_start, e.window_end, e.id, e.pid, e.n, e.req, e.value_ns, e.limit_ns,
                Text(e.text), int(e.kind));
  }
  std::string operator()(const record::Condition& e) const { return Join("condition", Text(e.name), Text(e.value)); }
  std::string operator()(const record::DeviceSample& e) const {
    return Join("device_sample", e.time, e.device, e.present, e.sm_clock_mhz, e.memory_clock_mhz, e.power_mw,
                e.temperature_c, e.throttle_reasons, e.gpu_utilization, e.memory_utilization, e.memory_used);
  }
  std::string operator()(const record::OffCpu& e) const {
    return Join("off_cpu", e.start, e.end, e.thread, int(e.reason), e.migrated);
  }
  std::string operator()(const record::CpuSample& e) const {
    return Join("cpu_sample", e.start, e.end, e.thread, e.ran_ns, e.waited_ns, e.exact);
  }
  std::string operator()(const record::HostSample& e) const {
    return Join("host_sample", e.start, e.end, e.throttled_ns, e.major_faults);
  }

 private:
  static std::string Finding(const record::CauseFinding& f) {
    std::string text;
#define SLOWTOKEN_JOIN(number, column, member, coding) text += Join(static_cast<uint64_t>(f.member));
    SLOWTOKEN_FINDING_MEMBERS(SLOWTOKEN_JOIN, 0, )
#undef SLOWTOKEN_JOIN
    return text;
  }
  template <typename... Parts>
  static std::string Join(const Parts&... parts) {
    std::ostringstream out;
    ((out << parts << '|'), ...);
    return out.str();
  }
  template <typename Values>
  static std::string Array(const Values& values) {
    std::string text;
    for (const uint64_t value : values) text += std::to_string(value) + ',';
    return text;
  }
  std::string Text(record::StringId id) const { return '"' + std::string(dictionary_.text(id)) + '"'; }
  std::string Shape(record::ShapeId id) const {
    const record::KernelShape& s = dictionary_.shape(id);
    return Join(Text(s.name), s.grid[0], s.grid[1], s.grid[2], s.block[0], s.block[1], s.block[2], s.cluster[0],
                s.cluster[1], s.cluster[2], s.registers, s.static_shared, s.dynamic_shared, s.local_per_thread);
  }
  std::string Lane(record::LaneId id) const {
    const record::Lane& l = dictionary_.lane(id);
    return Join(l.device, l.context, l.stream);
  }
  static std::string Rows(std::span<const record::BatchRow> rows) {
    std::string text;
    for (const record::BatchRow& r : rows) text += Join(r.req, r.n_tok, int(r.kind), int(r.op));
    return text;
  }
  std::string Fields(std::span<const record::PayloadField> fields) const {
    std::string text;
    for (const record::PayloadField& f : fields) {
      const bool is_text = f.type == record::PayloadType::kText;
      text += Join(Text(f.name), int(f.type), is_text ? Text(static_cast<uint32_t>(f.bits)) : std::to_string(f.bits));
    }
    return text;
  }

  const record::Dictionary& dictionary_;
};

// Keeps a description of every event, with its process.
class Recorder final : public record::EventVisitor {
 public:
  explicit Recorder(const record::Dictionary& dictionary) : describe_(dictionary) {}

#define SLOWTOKEN_RECORD(Type) \
  void On(const record::Type& event) override { events.push_back({event.process, describe_(event)}); }
  SLOWTOKEN_RECORD(Kernel)
  SLOWTOKEN_RECORD(Memcpy)
  SLOWTOKEN_RECORD(Memset)
  SLOWTOKEN_RECORD(GraphLaunch)
  SLOWTOKEN_RECORD(ApiCall)
  SLOWTOKEN_RECORD(Synchronization)
  SLOWTOKEN_RECORD(Overhead)
  SLOWTOKEN_RECORD(NvtxRange)
  SLOWTOKEN_RECORD(NvtxMark)
  SLOWTOKEN_RECORD(Annotation)
  SLOWTOKEN_RECORD(DeviceInfo)
  SLOWTOKEN_RECORD(ContextInfo)
  SLOWTOKEN_RECORD(StreamInfo)
  SLOWTOKEN_RECORD(ThreadInfo)
  SLOWTOKEN_RECORD(NvtxDomainInfo)
  SLOWTOKEN_RECORD(NvtxCategoryInfo)
  SLOWTOKEN_RECORD(RequestIdText)
  SLOWTOKEN_RECORD(ClockSnapshot)
  SLOWTOKEN_RECORD(LossTotals)
  SLOWTOKEN_RECORD(SourceStatus)
  SLOWTOKEN_RECORD(OwnCost)
  SLOWTOKEN_RECORD(CaptureTotals)
  SLOWTOKEN_RECORD(Advance)
  SLOWTOKEN_RECORD(RequestSummary)
  SLOWTOKEN_RECORD(GapSummary)
  SLOWTOKEN_RECORD(IterationSummary)
  SLOWTOKEN_RECORD(HistogramSnapshot)
  SLOWTOKEN_RECORD(CounterSnapshot)
  SLOWTOKEN_RECORD(DetailChange)
  SLOWTOKEN_RECORD(Trigger)
  SLOWTOKEN_RECORD(Condition)
  SLOWTOKEN_RECORD(DeviceSample)
  SLOWTOKEN_RECORD(OffCpu)
  SLOWTOKEN_RECORD(CpuSample)
  SLOWTOKEN_RECORD(HostSample)
#undef SLOWTOKEN_RECORD

  struct Event {
    record::ProcessIndex process;
    std::string text;
    bool operator==(const Event&) const = default;
    auto operator<=>(const Event&) const = default;
  };
  // The descriptions that begin with `kind`.
  std::vector<std::string> OfKind(const std::string& kind) const {
    std::vector<std::string> result;
    for (const Event& event : events) {
      if (event.text.starts_with(kind + '|')) result.push_back(event.text);
    }
    return result;
  }

  std::vector<Event> events;

 private:
  Describer describe_;
};

}  // namespace slowtoken::reader
