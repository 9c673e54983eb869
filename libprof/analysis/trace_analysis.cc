#include "analysis/trace_analysis.h"

#include "analysis/text_safety.h"

namespace slowtoken::analysis {
namespace {

using attribution::GpuOperation;

DeviceTimeline::Kind KindOf(const attribution::GpuRecord& record) {
  if (record.operation == GpuOperation::kGraph) return DeviceTimeline::Kind::kReplay;
  return record.is_compute() ? DeviceTimeline::Kind::kCompute : DeviceTimeline::Kind::kCopy;
}

// The launch where its times can be true.
EndedBy EndedByOf(const attribution::Launch* launch) {
  if (launch == nullptr || !IsInterval(launch->start, launch->end)) return {};
  return {.call_start = launch->start,
          .call_end = launch->end,
          .thread = launch->thread,
          .process = launch->process(),
          .small = false};
}

}  // namespace

TraceAnalysis::TraceAnalysis(const record::Dictionary& dictionary)
    : dictionary_(&dictionary),
      captured_ranges_(dictionary, places_.ranges()),
      graph_builds_(dictionary),
      kernels_(dictionary),
      collectives_(dictionary),
      devices_(dictionary, places_),
      facts_(dictionary),
      surroundings_(dictionary),
      inferred_(dictionary) {}

void TraceAnalysis::OnWork(const attribution::GpuRecord& record, const attribution::Launch* launch) {
  if (launch != nullptr) inferred_.AddWork(record, *launch);
  collectives_.AddWork(record);
  if (!IsInterval(record.start, record.end)) return;
  DeviceTimeline::Work work{record.start, record.end, EndedByOf(launch), record.lane, KindOf(record)};
  const bool single = launch != nullptr && launch->api_class != record::ApiClass::kGraphLaunch;
  if (single && work.kind == DeviceTimeline::Kind::kCompute) {
    work.launch.small = record.end - record.start < kSmallKernel;
    ++single_kernels_.count;
    if (work.launch.small) ++single_kernels_.small;
  }
  devices_.TimelineOf(record.lane).Add(work);
}

void TraceAnalysis::OnLaunch(const attribution::Launch& launch) {
  launch_stats_.Add(launch);
  inferred_.Add(launch);
  const EndedBy call = EndedByOf(&launch);
  if (!launch.counts() || !call.launch_known() || !IsTime(launch.first_gpu_start)) return;
  queues_[call.process].Add(call.call_end, launch.first_gpu_start);
  if (launch.first_gpu_start > call.call_end)
    places_.Add(LaunchPlaces::kDelay, call, launch.first_gpu_start - call.call_end);
}

std::string_view TraceAnalysis::ThreadName(uint64_t thread_key) const {
  const auto name = thread_names_.find(thread_key);
  return name == thread_names_.end() ? std::string_view() : dictionary_->text(name->second);
}

void TraceAnalysis::On(const record::Kernel& k) {
  ++counts_.kernels;
  CountTime(k.start, k.end);
  if (k.graph_node_id != 0) {
    ++counts_.graph_kernels;
    graph_nodes_.Add(k.process, k.graph_id, k.correlation, k.graph_node_id);
  }
  captured_ranges_.Add(k);
  if (IsInterval(k.start, k.end)) kernels_.Add(k);
}

void TraceAnalysis::On(const record::Memcpy& c) {
  ++counts_.copies;
  CountTime(c.start, c.end);
  captured_ranges_.Add(c);
  if (c.graph_node_id != 0) graph_nodes_.Add(c.process, c.graph_id, c.correlation, c.graph_node_id);
}

void TraceAnalysis::On(const record::Memset& s) {
  ++counts_.sets;
  CountTime(s.start, s.end);
  captured_ranges_.Add(s);
  if (s.graph_node_id != 0) graph_nodes_.Add(s.process, s.graph_id, s.correlation, s.graph_node_id);
}

void TraceAnalysis::On(const record::GraphLaunch& g) {
  ++counts_.graph_replays;
  CountTime(g.start, g.end);
  if (IsInterval(g.start, g.end)) counts_.graph_replay_ns = SaturatingAdd(counts_.graph_replay_ns, g.end - g.start);
}

void TraceAnalysis::On(const record::Annotation& annotation) {
  using record::AnnotationName;
  inferred_.Add(annotation);
  places_.ranges().Add(annotation);
  graph_builds_.Add(annotation);
  thread_roles_.Add(annotation);
  if (annotation.name == AnnotationName::kReq) {
    ++counts_.requests;
    presence_.Add(annotation);
  } else if (annotation.name == AnnotationName::kBatch) {
    ++counts_.batches;
  } else if (annotation.name == AnnotationName::kIter) {
    ++counts_.iterations;
  }
}

void TraceAnalysis::On(const record::RequestIdText& text) { request_texts_.Add(text); }

void TraceAnalysis::On(const record::NvtxDomainInfo& domain) {
  collectives_.Add(domain);
  if (dictionary_->text(domain.name) == "llmserve") llmserve_.emplace(domain.process, domain.domain);
}

// In the vocabulary's domain, or with its prefix, only what does not parse is left as a plain range or mark.
void TraceAnalysis::AddText(record::ProcessIndex process, record::DomainId domain, record::StringId message) {
  if (domain != 0 && !llmserve_.contains({process, domain})) return;
  const std::string_view text = dictionary_->text(message);
  if (domain == 0 && !text.starts_with("llmserve/")) return;
  const std::string shape = SafeText(text, 200);
  const auto known = malformed_.find(shape);
  if (known != malformed_.end()) {
    ++known->second;
  } else if (malformed_.size() < kMostMalformed) {
    malformed_.emplace(shape, 1);
  }
}

void TraceAnalysis::On(const record::Advance& advance) {
  facts_.Add(advance);
  for (Device& device : devices_.all()) device.timeline.Advance();
  for (auto& [process, queue] : queues_) queue.Advance(advance.watermark);
  captured_ranges_.Advance(IsTime(advance.watermark) ? advance.watermark : 0);
  places_.ranges().Advance();
}

void TraceAnalysis::Finish() {
  const auto no_request = presence_.Absences();
  for (Device& device : devices_.all()) device.timeline.Close();
  captured_ranges_.Finish();
  places_.ranges().Finish();
  for (Device& device : devices_.all()) device.timeline.Finish(no_request);
  thread_times_.Finish();
  inferred_.Finish();
  collectives_.Finish();
  for (auto& [process, queue] : queues_) queue.Finish();
}

}  // namespace slowtoken::analysis
