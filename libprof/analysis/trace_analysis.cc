#include "analysis/trace_analysis.h"

#include "analysis/text_safety.h"

namespace slowtoken::analysis {
namespace {

uint64_t Tag(record::ProcessIndex process, record::CorrelationId correlation) {
  return static_cast<uint64_t>(process) << 32 | correlation;
}

}  // namespace

struct TraceAnalysis::Work {
  record::ProcessIndex process;
  record::CorrelationId correlation;
  record::LaneId lane;
  uint32_t graph_id;
  uint64_t graph_node_id;
  TimeNs start, end;
  DeviceTimeline::Work kind;
};

TraceAnalysis::TraceAnalysis(const record::Dictionary& dictionary)
    : dictionary_(&dictionary),
      launches_([this](record::ProcessIndex process, const Launch& launch) {
        launch_stats_.Add(launch);
        graph_nodes_.AddLaunch(process, launch);
      }),
      kernels_(dictionary),
      devices_(dictionary,
               [this](uint64_t tag) {
                 return launches_.CallEnd(static_cast<record::ProcessIndex>(tag >> 32),
                                          static_cast<record::CorrelationId>(tag));
               }),
      facts_(dictionary),
      surroundings_(dictionary) {}

void TraceAnalysis::AddGpuWork(const Work& work) {
  launches_.AddGpuWork(work.process, work.correlation, work.graph_node_id != 0 ? work.graph_id : 0, work.start,
                       work.end);
  if (work.graph_node_id != 0)
    graph_nodes_.AddRecord(work.process, work.graph_id, work.correlation, work.graph_node_id);
  if (!IsInterval(work.start, work.end)) {
    ++counts_.untimed;
    return;
  }
  devices_.TimelineOf(work.lane).Add(work.start, work.end, work.kind, Tag(work.process, work.correlation));
}

void TraceAnalysis::On(const record::Kernel& k) {
  ++counts_.kernels;
  if (k.graph_node_id != 0) ++counts_.graph_kernels;
  if (IsInterval(k.start, k.end)) kernels_.Add(k);
  AddGpuWork(
      {k.process, k.correlation, k.lane, k.graph_id, k.graph_node_id, k.start, k.end, DeviceTimeline::Work::kCompute});
}

void TraceAnalysis::On(const record::Memcpy& c) {
  ++counts_.copies;
  AddGpuWork(
      {c.process, c.correlation, c.lane, c.graph_id, c.graph_node_id, c.start, c.end, DeviceTimeline::Work::kCopy});
}

void TraceAnalysis::On(const record::Memset& s) {
  ++counts_.sets;
  AddGpuWork(
      {s.process, s.correlation, s.lane, s.graph_id, s.graph_node_id, s.start, s.end, DeviceTimeline::Work::kCopy});
}

void TraceAnalysis::On(const record::GraphLaunch& g) {
  ++counts_.graph_replays;
  AddGpuWork({g.process, g.correlation, g.lane, g.graph_id, 0, g.start, g.end, DeviceTimeline::Work::kCompute});
}

void TraceAnalysis::On(const record::Annotation& annotation) {
  using record::AnnotationName;
  if (annotation.name == AnnotationName::kReq) {
    ++counts_.requests;
    presence_.Add(annotation);
  } else if (annotation.name == AnnotationName::kBatch) {
    ++counts_.batches;
  } else if (annotation.name == AnnotationName::kIter) {
    ++counts_.iterations;
  }
}

void TraceAnalysis::On(const record::RequestIdText& text) {
  std::string& known = request_texts_[text.req];
  if (known.empty()) known = SafeText(text.text, 256);
}

void TraceAnalysis::On(const record::NvtxDomainInfo& domain) {
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
  const TimeNs watermark = IsTime(advance.watermark) ? advance.watermark : 0;  // UINT64_MAX closes one file of several
  for (Device& device : devices_.all()) device.timeline.Advance(watermark);
  launches_.Advance(advance.process);
}

void TraceAnalysis::Finish() {
  const auto no_request = presence_.Absences();
  for (Device& device : devices_.all()) device.timeline.Finish(no_request);
  launches_.Finish();
}

}  // namespace slowtoken::analysis
