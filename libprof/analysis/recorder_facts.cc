#include "analysis/recorder_facts.h"

#include <algorithm>

#include "analysis/interval.h"
#include "analysis/text_safety.h"

namespace slowtoken::analysis {

const char* SourceName(record::Source source) {
  switch (source) {
    case record::Source::kCupti:
      return "cupti";
    case record::Source::kNvtx:
      return "nvtx";
    case record::Source::kNccl:
      return "nccl";
  }
  return "unknown";
}

const char* SourceStateName(record::SourceState state) {
  using record::SourceState;
  switch (state) {
    case SourceState::kUnknown:
      return "unknown";
    case SourceState::kActive:
      return "active";
    case SourceState::kNotFound:
      return "not_found";
    case SourceState::kRefused:
      return "refused";
    case SourceState::kNoDriver:
      return "no_driver";
    case SourceState::kVersionUnsupported:
      return "version_unsupported";
    case SourceState::kFailed:
      return "failed";
    case SourceState::kLost:
      return "lost";
    case SourceState::kPaused:
      return "paused";
  }
  return "unknown";
}

void RecorderFacts::Add(const record::SourceStatus& status) {
  sources_[{status.process, status.source}] = {.process = status.process,
                                               .source = status.source,
                                               .state = status.state,
                                               .error = status.error,
                                               .version = status.version,
                                               .detail = SafeText(dictionary_->text(status.detail), 512)};
  if (status.source != record::Source::kCupti || !IsTime(status.time)) return;
  Blind& blind = blind_[status.process];
  const bool ends = status.state == record::SourceState::kLost || status.state == record::SourceState::kPaused;
  if (ends && blind.since == 0) blind.since = status.time;
  if (status.state == record::SourceState::kActive && blind.since != 0) {
    if (status.time > blind.since) blind.sum = SaturatingAdd(blind.sum, status.time - blind.since);
    blind.since = 0;
  }
}

void RecorderFacts::Add(const record::ClockSnapshot& snapshot) {
  if (!IsTime(snapshot.monotonic)) return;
  if (has_snapshot_ && snapshot.monotonic >= first_snapshot_.monotonic) return;
  has_snapshot_ = true;
  first_snapshot_ = snapshot;
}

void RecorderFacts::Add(const record::Advance& advance) {
  if (!IsTime(advance.watermark)) return;  // UINT64_MAX closes a file
  Span& span = spans_[advance.process];
  if (span.first == 0 || advance.watermark < span.first) span.first = advance.watermark;
  span.last = std::max(span.last, advance.watermark);
  if (first_time_ == 0 || span.first < first_time_) first_time_ = span.first;
  last_time_ = std::max(last_time_, span.last);
}

uint64_t RecorderFacts::Lost(base::Loss cause) const {
  uint64_t sum = 0;
  for (const auto& [process, counts] : losses_) sum = SaturatingAdd(sum, counts[static_cast<size_t>(cause)]);
  return sum;
}

std::vector<SourceFact> RecorderFacts::Sources() const {
  std::vector<SourceFact> all;
  for (const auto& [key, fact] : sources_) all.push_back(fact);
  return all;
}

uint64_t RecorderFacts::BlindNs() const {
  uint64_t sum = 0;
  for (const auto& [process, blind] : blind_) {
    sum = SaturatingAdd(sum, blind.sum);
    const auto span = spans_.find(process);
    if (blind.since != 0 && span != spans_.end() && span->second.last > blind.since) {
      sum = SaturatingAdd(sum, span->second.last - blind.since);
    }
  }
  return sum;
}

uint64_t RecorderFacts::WorkerCpuNs() const {
  uint64_t sum = 0;
  for (const auto& [process, cost] : costs_) sum = SaturatingAdd(sum, cost.worker_cpu_ns);
  return sum;
}

uint64_t RecorderFacts::CallbackNs() const {
  uint64_t sum = 0;
  for (const auto& [process, cost] : costs_) sum = SaturatingAdd(sum, cost.callback_ns);
  return sum;
}

uint64_t RecorderFacts::MemoryBytes() const {
  uint64_t sum = 0;
  for (const auto& [process, cost] : costs_) sum = SaturatingAdd(sum, cost.memory_bytes);
  return sum;
}

uint64_t RecorderFacts::CountedLaunches() const {
  uint64_t sum = 0;
  for (const auto& [process, totals] : totals_) sum = SaturatingAdd(sum, totals.launches);
  return sum;
}

uint64_t RecorderFacts::WallNs() const {
  uint64_t sum = 0;
  for (const auto& [process, span] : spans_) sum = SaturatingAdd(sum, span.last - span.first);
  return sum;
}

}  // namespace slowtoken::analysis
