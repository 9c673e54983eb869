#include "export/perfetto_export.h"

#include <absl/strings/str_cat.h>

#include <bit>

#include "analysis/interval.h"
#include "analysis/kernel_names.h"
#include "analysis/text_safety.h"

namespace slowtoken::exporting {

using analysis::SafeText;
using record::TimeNs;
using Shape = SliceWindow::Shape;

namespace {

constexpr const char* kCopyKinds[] = {"unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                      "AtoD",    "DtoA", "DtoD", "HtoH", "PtoP"};

const char* CopyKindText(record::CopyKind kind) {
  const auto i = static_cast<size_t>(kind);
  return i < std::size(kCopyKinds) ? kCopyKinds[i] : kCopyKinds[0];
}

record::ClockSnapshot FirstClocks(const std::vector<reader::ProcessInfo>& processes) {
  record::ClockSnapshot clocks;
  if (processes.empty()) return clocks;
  clocks.monotonic = processes[0].start;
  clocks.realtime = processes[0].start_utc;
  return clocks;
}

}  // namespace

PerfettoExport::PerfettoExport(std::ostream& out, const record::Dictionary& dictionary,
                               const std::vector<reader::ProcessInfo>& processes, analysis::GraphPaths paths)
    : dictionary_(&dictionary),
      writer_(out),
      tracks_(writer_, dictionary, processes),
      window_(writer_, [this](TrackId track, size_t lane) { return tracks_.LaneOf(track, lane); }),
      event_(writer_),
      steps_(writer_, tracks_, window_),
      paths_(std::move(paths)),
      captured_(writer_, tracks_, window_),
      losses_(processes.size()) {
  writer_.Begin(FirstClocks(processes));
}

void PerfettoExport::AddSlice(TrackId track, Shape shape, TimeNs start, TimeNs end) {
  last_time_ = std::max(last_time_, end);
  window_.Add(track, shape, start, end, event_.Bytes());
}

void PerfettoExport::AddRange(TrackId track, Shape shape, TimeNs start, TimeNs end, uint64_t name) {
  const RangeKey key{track, start, name};
  if (end == 0 && analysis::IsTime(start)) {
    open_[key] = {shape, event_.Number("open_at_the_end", 1).Bytes()};
    return;
  }
  open_.erase(key);
  if (!analysis::IsInterval(start, end)) return void(++untimed_);
  AddSlice(track, shape, start, end);
}

uint64_t PerfettoExport::KernelName(record::ShapeId shape) {
  if (shape >= name_of_shape_.size()) name_of_shape_.resize(shape + size_t{1}, 0);
  uint64_t& name = name_of_shape_[shape];
  if (name == 0) {
    const std::string clear = analysis::Demangle(dictionary_->text(dictionary_->shape(shape).name));
    name = writer_.EventName(clear.empty() ? "(unknown kernel)" : clear);
  }
  return name;
}

uint64_t PerfettoExport::TextName(record::StringId text) {
  if (text >= name_of_text_.size()) name_of_text_.resize(text + size_t{1}, 0);
  uint64_t& name = name_of_text_[text];
  if (name == 0) name = writer_.EventName(text == 0 ? "(no name)" : dictionary_->text(text));
  return name;
}

void PerfettoExport::On(const record::Kernel& k) {
  if (!analysis::IsInterval(k.start, k.end)) return void(++untimed_);
  const record::KernelShape& shape = dictionary_->shape(k.shape);
  event_.Start(KernelName(k.shape), "kernel").Flow(k.process, k.correlation).Number("correlation", k.correlation);
  event_.Text("grid", absl::StrCat(shape.grid[0], "x", shape.grid[1], "x", shape.grid[2]));
  event_.Text("block", absl::StrCat(shape.block[0], "x", shape.block[1], "x", shape.block[2]));
  event_.Number("registers_per_thread", shape.registers);
  event_.Number("shared_mem_static", shape.static_shared).Number("shared_mem_dynamic", shape.dynamic_shared);
  if (k.graph_node_id != 0) event_.Number("graph", k.graph_id).Number("graph_node", k.graph_node_id);
  const std::string* path = paths_.Of(k.process, k.graph_id, k.graph_node_id);
  if (path != nullptr) event_.Text("captured_in", *path);
  AddSlice(tracks_.Stream(k.lane), Shape::kApart, k.start, k.end);
  if (path != nullptr) captured_.Add(k, *path);
}

void PerfettoExport::On(const record::Memcpy& c) {
  if (!analysis::IsInterval(c.start, c.end)) return void(++untimed_);
  event_.Start(absl::StrCat("memcpy ", CopyKindText(c.copy_kind)), "memcpy").Flow(c.process, c.correlation);
  event_.Number("correlation", c.correlation).Number("bytes", c.bytes);
  if (c.end > c.start)
    event_.Double("bytes_per_s", static_cast<double>(c.bytes) * 1e9 / static_cast<double>(c.end - c.start));
  AddSlice(tracks_.Stream(c.lane), Shape::kApart, c.start, c.end);
}

void PerfettoExport::On(const record::Memset& s) {
  if (!analysis::IsInterval(s.start, s.end)) return void(++untimed_);
  event_.Start("memset", "memset")
      .Flow(s.process, s.correlation)
      .Number("correlation", s.correlation)
      .Number("bytes", s.bytes);
  AddSlice(tracks_.Stream(s.lane), Shape::kApart, s.start, s.end);
}

void PerfettoExport::On(const record::GraphLaunch& g) {
  if (!analysis::IsInterval(g.start, g.end)) return void(++untimed_);
  event_.Start("graph replay", "graph")
      .Flow(g.process, g.correlation)
      .Number("correlation", g.correlation)
      .Number("graph", g.graph_id);
  AddSlice(tracks_.Stream(g.lane), Shape::kApart, g.start, g.end);
}

void PerfettoExport::On(const record::ApiCall& call) {
  using record::ApiClass;
  if (!analysis::IsInterval(call.start, call.end)) return void(++untimed_);
  const uint64_t name = call.name != 0 ? TextName(call.name) : writer_.EventName(absl::StrCat("CUDA call ", call.cbid));
  event_.Start(name, call.domain == record::ApiDomain::kRuntime ? "cuda_runtime" : "cuda_driver");
  const bool starts_work = call.api_class == ApiClass::kKernelLaunch || call.api_class == ApiClass::kGraphLaunch ||
                           call.api_class == ApiClass::kMemcpy || call.api_class == ApiClass::kMemset;
  if (starts_work && !call.captured) event_.Flow(call.process, call.correlation);
  event_.Number("correlation", call.correlation);
  if (call.return_value != 0) event_.Signed("error", call.return_value);
  if (call.captured) event_.Number("captured", 1);
  AddSlice(tracks_.Api(call.process, call.thread), Shape::kNested, call.start, call.end);
}

void PerfettoExport::AddFields(std::span<const record::PayloadField> fields) {
  for (const record::PayloadField& field : fields) {
    const std::string_view given = dictionary_->text(field.name);
    const std::string_view name = given.empty() ? "value" : given;
    switch (field.type) {
      case record::PayloadType::kInt:
        event_.Signed(name, static_cast<int64_t>(field.bits));
        break;
      case record::PayloadType::kDouble:
        event_.Double(name, std::bit_cast<double>(field.bits));
        break;
      case record::PayloadType::kText:
        event_.Text(name, SafeText(dictionary_->text(static_cast<record::StringId>(field.bits))));
        break;
      case record::PayloadType::kUint:
      case record::PayloadType::kAddress:
        event_.Number(name, field.bits);
        break;
    }
  }
}

void PerfettoExport::On(const record::NvtxRange& range) {
  const uint64_t name = TextName(range.message);
  event_.Start(name, "nvtx");
  AddFields(range.fields);
  if (range.range_id == 0) {
    AddRange(tracks_.NvtxStack(range.process, range.thread, range.domain), Shape::kNested, range.start, range.end,
             name);
  } else {
    AddRange(tracks_.NvtxAsync(range.process, range.domain), Shape::kApart, range.start, range.end,
             name ^ range.range_id << 32);
  }
}

void PerfettoExport::On(const record::NvtxMark& mark) {
  if (!analysis::IsTime(mark.time)) return void(++untimed_);
  event_.Start(TextName(mark.message), "nvtx");
  AddFields(mark.fields);
  writer_.Event(perfetto::TrackEvent::TYPE_INSTANT, tracks_.NvtxStack(mark.process, mark.thread, mark.domain),
                mark.time, event_.Bytes());
}

void PerfettoExport::On(const record::Annotation& annotation) {
  steps_.On(annotation);
  if (annotation.kind == record::AnnotationKind::kMark || annotation.name == record::AnnotationName::kReq) return;
  const uint64_t name = writer_.EventName(record::kAnnotationTexts[static_cast<size_t>(annotation.name)]);
  event_.Start(name, "llmserve");
  if (annotation.Has(record::AnnotationField::kIterNo)) event_.Number("iter", annotation.iteration().iter);
  if (annotation.req() != 0) event_.Text("req", absl::StrCat(absl::Hex(annotation.req(), absl::kZeroPad16)));
  if (annotation.kind == record::AnnotationKind::kPushPop) {
    AddRange(tracks_.LlmserveStack(annotation.process, annotation.thread), Shape::kNested, annotation.start,
             annotation.end, name);
  } else {
    AddRange(tracks_.LlmserveAsync(annotation.process), Shape::kApart, annotation.start, annotation.end,
             name ^ annotation.range_id << 32);
  }
}

// A marker where records were dropped: what is around it may be missing things.
void PerfettoExport::On(const record::LossTotals& totals) {
  if (totals.process >= losses_.size()) return;
  auto& known = losses_[totals.process];
  event_.Start("records dropped", "slowtoken");
  bool more = false;
  for (size_t i = 0; i < base::kLossCount; ++i) {
    if (totals.counts[i] <= known[i]) continue;
    event_.Number(base::kLossNames[i], totals.counts[i] - known[i]);
    more = true;
  }
  known = totals.counts;
  if (!more) return;
  writer_.DataLoss(last_time_);
  writer_.Event(perfetto::TrackEvent::TYPE_INSTANT, tracks_.Recorder(totals.process), last_time_, event_.Bytes());
}

void PerfettoExport::On(const record::Advance& advance) {
  if (analysis::IsTime(advance.watermark)) last_time_ = std::max(last_time_, advance.watermark);
}

bool PerfettoExport::Finish() {
  for (auto& [key, range] : open_)
    window_.Add(key.track, range.shape, key.start, std::max(key.start, last_time_), range.event);
  captured_.Finish();
  steps_.Finish(last_time_);
  window_.Flush();
  return writer_.ok();
}

}  // namespace slowtoken::exporting
