#include "report/request_life.h"

#include <algorithm>

#include "analysis/interval.h"

namespace slowtoken::report {

using record::Annotation;
using record::AnnotationField;
using record::AnnotationKind;
using record::AnnotationName;
using record::TimeNs;

namespace {

// How long the state that a mark says holds: a reason to wait until the next mark of the request, the queue and a
// preemption until what ends them.
bool Ends(AnnotationName state, const Annotation& next) {
  if (next.kind != AnnotationKind::kMark) return false;
  const AnnotationName name = next.name;
  if (state == AnnotationName::kReqWaiting || name == AnnotationName::kReqFinish) return true;
  if (state == AnnotationName::kReqPreempted) return name == AnnotationName::kReqResumed;
  return name == AnnotationName::kReqScheduled || name == AnnotationName::kReqPreempted;
}

bool IsState(const Annotation& said) {
  return said.name == AnnotationName::kReqQueued || said.name == AnnotationName::kReqWaiting ||
         said.name == AnnotationName::kReqPreempted;
}

bool TellsPlace(AnnotationName name) {
  return name == AnnotationName::kReqPreempted || name == AnnotationName::kKvRecv ||
         name == AnnotationName::kReqTokenize || name == AnnotationName::kReqQueued;
}

bool SameReason(const Annotation& a, const Annotation& b) {
  return a.name == AnnotationName::kReqWaiting && b.name == a.name &&
         a.Get(AnnotationField::kWaitReason) == b.Get(AnnotationField::kWaitReason);
}

}  // namespace

void RequestLife::Add(const Annotation& annotation) {
  if (annotation.req() != req_ || !analysis::IsTime(annotation.start)) return;
  const Key key{annotation.start, annotation.name, annotation.process, annotation.thread, annotation.range_id};
  Annotation& kept = said_[key];
  if (kept.end != 0) return;
  kept = annotation;
  kept.rows = {};
}

std::vector<RequestLife::Step> RequestLife::Steps(TimeNs end) const {
  std::vector<Step> steps;
  for (auto it = said_.begin(); it != said_.end(); ++it) {
    const Annotation& said = it->second;
    if (!steps.empty() && SameReason(steps.back().said, said)) {
      ++steps.back().times;
      continue;
    }
    Step& step = steps.emplace_back(Step{.said = said});
    step.open = said.end == 0;
    if (said.kind != AnnotationKind::kMark) step.until = step.open ? end : said.end;
    if (!IsState(said)) continue;
    const auto over = std::find_if(std::next(it), said_.end(), [&](const auto& next) {
      return Ends(said.name, next.second) && !SameReason(said, next.second);
    });
    step.until = over == said_.end() ? end : over->second.start;
  }
  return steps;
}

TimeNs RequestLife::FirstOf(AnnotationName name) const {
  const auto first = std::find_if(said_.begin(), said_.end(), [&](const auto& one) { return one.second.name == name; });
  return first == said_.end() ? 0 : first->second.start;
}

std::vector<RequestLife::Stay> RequestLife::Stays(TimeNs start, TimeNs end, TimeNs computed_from) const {
  std::vector<Step> steps = Steps(end);
  std::erase_if(steps, [](const Step& step) { return !TellsPlace(step.said.name); });
  const TimeNs queued = FirstOf(AnnotationName::kReqQueued), tokenize = FirstOf(AnnotationName::kReqTokenize);
  const TimeNs marked = FirstOf(AnnotationName::kReqScheduled), scheduled = marked != 0 ? marked : computed_from;
  const auto within = [&](AnnotationName name, TimeNs at) {
    return std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
      return step.said.name == name && step.said.start <= at && at < step.until;
    });
  };
  const auto place = [&](TimeNs at) {
    if (within(AnnotationName::kReqPreempted, at)) return Place::kPreempted;
    if (scheduled != 0 && at >= scheduled) return Place::kScheduled;
    if (within(AnnotationName::kKvRecv, at)) return Place::kKvWait;
    if (within(AnnotationName::kReqTokenize, at)) return Place::kTokenize;
    return at < (queued != 0 ? queued : tokenize) ? Place::kHandoff : Place::kQueue;
  };
  std::vector<TimeNs> changes = {start, scheduled};
  for (const Step& step : steps) changes.insert(changes.end(), {step.said.start, step.until});
  std::erase_if(changes, [&](TimeNs at) { return at < start || at >= end; });
  std::sort(changes.begin(), changes.end());
  std::vector<Stay> stays;
  for (const TimeNs at : changes) {
    const Place now = place(at);
    if (!stays.empty() && stays.back().place == now) continue;
    if (!stays.empty()) stays.back().end = at;
    stays.push_back({now, at, end});
  }
  return stays;
}

}  // namespace slowtoken::report
