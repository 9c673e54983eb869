#include "oracle.h"

#include <algorithm>

namespace slowtoken::attribution::testing {

using record::Annotation;
using record::AnnotationName;
using record::RowKind;

uint64_t UnionNs(TimeRanges ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const TimeRange& a, const TimeRange& b) { return a.start < b.start; });
  uint64_t covered = 0;
  TimeNs upto = 0;
  for (const TimeRange& range : ranges) {
    const TimeNs from = std::max(range.start, upto);
    if (range.end > from) covered += range.end - from;
    upto = std::max(upto, range.end);
  }
  return covered;
}

std::optional<TimeRange> OracleIteration::Gpu() const {
  std::optional<TimeRange> hull;
  for (const TimeRanges* list : {&work, &collectives}) {
    for (const TimeRange& range : *list) {
      if (!hull) hull = range;
      hull->start = std::min(hull->start, range.start);
      hull->end = std::max(hull->end, range.end);
    }
  }
  return hull;
}

TimeNs OracleIteration::SampleEnd() const {
  TimeNs end = sample ? sample->end : 0;
  if (sampling.empty()) return end;
  TimeNs first_end = UINT64_MAX;
  for (const TimeRange& range : sampling) {
    end = std::max(end, range.end);
    first_end = std::min(first_end, range.end);
  }
  for (const TimeRange& copy : readback) {
    if (copy.start >= first_end) end = std::max(end, copy.end);
  }
  return end;
}

uint64_t OracleIteration::BusyNs() const {
  TimeRanges all_work = work;
  all_work.insert(all_work.end(), collectives.begin(), collectives.end());
  return UnionNs(all_work);
}

uint32_t OracleIteration::PrefillRows() const {
  uint32_t count = 0;
  for (const auto& [req, row] : rows) {
    if (row.kind == RowKind::kPrefill || row.kind == RowKind::kChunk || row.kind == RowKind::kRecompute) ++count;
  }
  return count;
}

Oracle::Oracle(const EventLog& log, const record::Dictionary& dictionary) {
  for (const LoggedEvent& event : log) {
    if (const auto* device = std::get_if<record::DeviceInfo>(&event.event)) {
      uuids_[{device->process, device->ordinal}] = std::string(std::begin(device->uuid), std::end(device->uuid));
    }
    const auto* annotation = std::get_if<Annotation>(&event.event);
    if (annotation == nullptr || annotation->end == 0) continue;
    if (annotation->name <= AnnotationName::kReqFinish || annotation->name == AnnotationName::kKvRecv) {
      if (annotation->req() != 0) {
        events_[annotation->req()].push_back(*annotation);
        requests_.insert(annotation->req());
      }
    }
    const bool kv = annotation->name >= AnnotationName::kKvAlloc && annotation->name <= AnnotationName::kKvRecv;
    if (kv || annotation->name == AnnotationName::kJit || annotation->name == AnnotationName::kGc) {
      host_work_.push_back(*annotation);
    }
  }
  for (auto& [req, events] : events_) {
    std::stable_sort(events.begin(), events.end(),
                     [](const Annotation& a, const Annotation& b) { return a.start < b.start; });
  }
  ReadRanges(log);
  ReadCalls(log);
  JoinWork(log, dictionary);
  ReadBatches(log);
}

}  // namespace slowtoken::attribution::testing
