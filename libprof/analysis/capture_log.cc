#include "analysis/capture_log.h"

#include <algorithm>
#include <utility>

namespace slowtoken::analysis {

using record::ApiClass;

CaptureLog::Step CaptureLog::StepOf(record::StringId name) {
  if (name >= step_of_name_.size()) step_of_name_.resize(name + size_t{1}, Step::kNotAsked);
  Step& step = step_of_name_[name];
  if (step == Step::kNotAsked) {
    const std::string_view text = dictionary_->text(name);
    const bool begin = text.find("StreamBeginCapture") != std::string_view::npos;
    const bool end = text.find("StreamEndCapture") != std::string_view::npos;
    step = begin ? Step::kBegin : end ? Step::kEnd : Step::kOther;
  }
  return step;
}

void CaptureLog::Add(const record::ApiCall& call) {
  if (!call.captured && call.api_class != ApiClass::kGraphBuild) return;
  const Step step = call.captured ? Step::kOther : StepOf(call.name);
  if (!call.captured && step == Step::kOther) return;
  if (!IsInterval(call.start, call.end) || (step == Step::kBegin && call.return_value != 0)) return;
  calls_.push_back({call.start, call.end, attribution::ThreadKey(call.process, call.thread), call.correlation,
                    call.process, call.api_class, step});
}

// A runtime call and the driver call inside it have one id: the second is left out.
void CaptureLog::Follow(const Call& call) {
  Open& open = open_[call.thread];
  if (call.step == Step::kBegin) {
    if (open.open && open.begun_by == call.correlation) return;
    open = {};
    open.capture.process = call.process;
    open.capture.thread = call.thread;
    open.capture.begin = call.end;
    open.begun_by = call.correlation;
    open.open = true;
    return;
  }
  if (!open.open) return;
  if (call.step == Step::kEnd) {
    open.capture.end = call.start;
    open.open = false;
    captures_.push_back(std::move(open.capture));
    return;
  }
  if (std::exchange(open.last, call.correlation) != call.correlation) AddNode(call, open);
}

void CaptureLog::AddNode(const Call& call, Open& open) {
  Capture& capture = open.capture;
  switch (call.api_class) {
    case ApiClass::kKernelLaunch:
      capture.kinds.push_back(NodeKind::kKernel);
      break;
    case ApiClass::kMemcpy:
      capture.kinds.push_back(NodeKind::kCopy);
      break;
    case ApiClass::kMemset:
      capture.kinds.push_back(NodeKind::kSet);
      break;
    case ApiClass::kMemory:  // a node without GPU work
      return;
    case ApiClass::kGraphLaunch:
      capture.holds_graphs = true;
      return;
    default:  // a wait for another stream: from here on it is no chain
      capture.joins_streams = true;
      return;
  }
  capture.calls.push_back(call.start);
}

void CaptureLog::FindPaths(Capture& capture) {
  for (const TimeNs call : capture.calls) capture.paths.push_back(ranges_->Around(capture.thread, call, capture.begin));
}

void CaptureLog::Advance(TimeNs watermark) {
  std::stable_sort(calls_.begin(), calls_.end(), [](const Call& a, const Call& b) { return a.start < b.start; });
  for (const Call& call : calls_) Follow(call);
  calls_.clear();
  while (with_paths_ < captures_.size() && captures_[with_paths_].end + kSettle <= watermark)
    FindPaths(captures_[with_paths_++]);
}

void CaptureLog::Finish() { Advance(kLastTime); }

}  // namespace slowtoken::analysis
