// Oracle: from ranges, calls and GPU records to iterations.
#include <algorithm>

#include "oracle.h"

namespace slowtoken::attribution::testing {

using record::Annotation;
using record::AnnotationField;
using record::AnnotationName;
using record::ApiClass;

namespace {

OracleKey KeyOf(const Annotation& annotation) {
  const record::IterationKey key = annotation.iteration();
  return {key.engine, key.dp_rank, key.iter};
}

void Cover(std::optional<TimeRange>* hull, const Annotation& range) {
  if (!*hull) *hull = TimeRange{range.start, range.end};
  (*hull)->start = std::min((*hull)->start, range.start);
  (*hull)->end = std::max((*hull)->end, range.end);
}

}  // namespace

// The iteration of the innermost range on the thread that covers [from, to], and whether iter.sample is around it too.
std::optional<OracleKey> Oracle::KeyAround(uint16_t process, uint32_t thread, TimeNs from, TimeNs to,
                                           bool* in_sample) const {
  std::vector<const Range*> around;
  for (const Range& range : ranges_) {
    const Annotation& a = range.annotation;
    if (a.process == process && a.thread == thread && a.start <= from && a.end >= to) around.push_back(&range);
  }
  std::sort(around.begin(), around.end(), [](const Range* a, const Range* b) {
    return a->annotation.end - a->annotation.start < b->annotation.end - b->annotation.start;
  });
  *in_sample = false;
  for (const Range* range : around) {
    if (range->annotation.name == AnnotationName::kIterSample) *in_sample = true;
    if (range->annotation.Has(AnnotationField::kIterNo)) return KeyOf(range->annotation);
  }
  return {};
}

void Oracle::ReadRanges(const EventLog& log) {
  for (const LoggedEvent& event : log) {
    const auto* a = std::get_if<Annotation>(&event.event);
    if (a == nullptr || a->end == 0 || a->name < AnnotationName::kIter || a->name > AnnotationName::kIterUpdate)
      continue;
    if (a->name == AnnotationName::kIter && !a->Has(AnnotationField::kIterNo)) continue;
    ranges_.push_back({*a, {}});
  }
  for (Range& range : ranges_) {
    const Annotation& a = range.annotation;
    bool in_sample = false;
    range.key = a.Has(AnnotationField::kIterNo) ? KeyOf(a) : KeyAround(a.process, a.thread, a.start, a.end, &in_sample);
    if (!range.key) continue;
    OracleIteration& iteration = iterations_[*range.key];
    Cover(&iteration.all, a);
    if (a.name == AnnotationName::kIter) Cover(&iteration.iter, a);
    if (a.name == AnnotationName::kIterSchedule) Cover(&iteration.schedule, a);
    if (a.name == AnnotationName::kIterForward) Cover(&iteration.forward, a);
    if (a.name == AnnotationName::kIterSample) Cover(&iteration.sample, a);
    if (a.name == AnnotationName::kIterUpdate) Cover(&iteration.update, a);
    if (a.name == AnnotationName::kIter || a.name == AnnotationName::kIterSchedule) {
      iteration.threads.insert({a.process, a.thread});
    }
    if (a.name == AnnotationName::kIter) iteration.flags |= a.Get(AnnotationField::kFlags);
  }
}

void Oracle::ReadCalls(const EventLog& log) {
  for (const LoggedEvent& event : log) {
    const auto* call = std::get_if<record::ApiCall>(&event.event);
    if (call == nullptr || call->captured || call->return_value != 0 || call->correlation == 0) continue;
    if (call->api_class == ApiClass::kSynchronize) continue;
    std::vector<Call>& calls = calls_[{call->process, call->correlation}];
    const bool graph = call->api_class == ApiClass::kGraphLaunch;
    const bool counts = graph || call->api_class == ApiClass::kKernelLaunch;
    auto half = std::find_if(calls.begin(), calls.end(), [&](const Call& other) {
      const bool inside = call->start >= other.range.start && call->end <= other.range.end;
      const bool around = call->start <= other.range.start && call->end >= other.range.end;
      return other.thread == call->thread && (inside || around);
    });
    if (half == calls.end())
      half = calls.insert(calls.end(), Call{{call->start, call->end}, call->thread, counts, graph, {}, false});
    half->range.start = std::min(half->range.start, call->start);
    half->range.end = std::max(half->range.end, call->end);
    half->counts = half->counts || counts;
    half->graph = half->graph || graph;
  }
  for (auto& [id, calls] : calls_) {
    for (Call& call : calls) {
      call.key = KeyAround(id.first, call.thread, call.range.start, call.range.start, &call.in_sample);
      if (!call.key || !call.counts) continue;
      OracleIteration& iteration = iterations_[*call.key];
      ++iteration.launches;
      if (call.graph) ++iteration.graph_launches;
      if (iteration.first_launch == 0 || call.range.start < iteration.first_launch)
        iteration.first_launch = call.range.start;
    }
  }
}

void Oracle::JoinWork(const EventLog& log, const record::Dictionary& dictionary) {
  for (const LoggedEvent& event : log) {
    std::visit(
        [&](const auto& e) {
          if constexpr (requires {
                          e.lane;
                          e.correlation;
                        }) {
            const auto calls = calls_.find({e.process, e.correlation});
            if (e.correlation == 0 || calls == calls_.end()) return;
            const Call* best = nullptr;      // the latest that began before the work ended
            const Call* earliest = nullptr;  // else the earliest
            for (const Call& call : calls->second) {
              const bool before = e.end == 0 || call.range.start <= e.end;
              if (before && (best == nullptr || call.range.start > best->range.start)) best = &call;
              if (earliest == nullptr || call.range.start < earliest->range.start) earliest = &call;
            }
            AddWork(best != nullptr ? *best : *earliest, event, dictionary);
          }
        },
        event.event);
  }
}

void Oracle::AddWork(const Call& call, const LoggedEvent& event, const record::Dictionary& dictionary) {
  if (!call.key) return;
  OracleIteration& iteration = iterations_[*call.key];
  const auto note = [&](const auto& e) {
    const uint32_t ordinal = dictionary.lane(e.lane).device;
    const auto uuid = uuids_.find({e.process, ordinal});
    iteration.devices.insert(uuid != uuids_.end() ? uuid->second
                                                  : std::to_string(e.process) + "/" + std::to_string(ordinal));
  };
  if (const auto* kernel = std::get_if<record::Kernel>(&event.event)) {
    note(*kernel);
    ++iteration.kernels;
    if (kernel->start == 0 || kernel->end < kernel->start) return;
    const std::string name(dictionary.text(dictionary.shape(kernel->shape).name));
    const bool sample = call.in_sample || name == "sample_kernel";
    TimeRanges& list = sample                              ? iteration.sampling
                       : name == "ncclDevKernel_AllReduce" ? iteration.collectives
                                                           : iteration.work;
    list.push_back({kernel->start, kernel->end});
  } else if (const auto* graph = std::get_if<record::GraphLaunch>(&event.event)) {
    note(*graph);
    (call.in_sample ? iteration.sampling : iteration.work).push_back({graph->start, graph->end});
  } else if (const auto* copy = std::get_if<record::Memcpy>(&event.event)) {
    note(*copy);
    if (copy->start == 0 || copy->end < copy->start) return;
    if (call.in_sample) {
      iteration.sampling.push_back({copy->start, copy->end});
    } else if (copy->copy_kind == record::CopyKind::kDtoH) {
      iteration.readback.push_back({copy->start, copy->end});
    }
  }
}

}  // namespace slowtoken::attribution::testing
