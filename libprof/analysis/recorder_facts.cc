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
    case record::Source::kThreads:
      return "threads";
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

// Of a shorter life the start alone would be told, as if it went on.
constexpr uint64_t kShortestShare = 1'000'000'000;

std::optional<double> OwnShare(const record::OwnCost& cost, record::TimeNs start) {
  if (!IsInterval(start, cost.time) || cost.time - start < kShortestShare) return std::nullopt;
  return static_cast<double>(cost.own_ns()) / static_cast<double>(cost.time - start);
}

RecorderFacts::RecorderFacts(const record::Dictionary& dictionary) : dictionary_(&dictionary) {
  constexpr uint32_t kChanges = 1u << 14;
  if (arena_.Reserve(size_t{1} << 20, false)) blind_.Init(arena_, kChanges);
}

void RecorderFacts::Add(const record::SourceStatus& status) {
  if (IsTime(status.time)) blind_.Add(status);
  SourceFact& newest = sources_[{status.process, status.source}];
  if (status.time < newest.time) return;  // a chunk tells the changes in it in no particular order
  newest = {.process = status.process,
            .source = status.source,
            .state = status.state,
            .error = status.error,
            .version = status.version,
            .detail = SafeText(dictionary_->text(status.detail), 512),
            .time = status.time};
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

// Every process that dumped for it wrote it down; one that joined another's dump has its id, but a time of its own.
void RecorderFacts::Add(const record::Trigger& trigger) {
  constexpr size_t kMost = 1000;
  const auto same = [&](const record::Trigger& t) {
    return t.id == trigger.id && t.time == trigger.time && t.req == trigger.req;
  };
  if (triggers_.size() < kMost && std::none_of(triggers_.begin(), triggers_.end(), same)) triggers_.push_back(trigger);
}

// Each stands at the head of chunks again, and in each file of its process.
void RecorderFacts::Add(const record::DetailChange& change) {
  constexpr size_t kMost = 10'000;
  const auto same = [&](const record::DetailChange& c) {
    return c.process == change.process && c.time == change.time && c.level == change.level;
  };
  if (detail_changes_.size() < kMost && std::none_of(detail_changes_.rbegin(), detail_changes_.rend(), same)) {
    detail_changes_.push_back(change);
  }
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

std::array<uint64_t, record::kBlindReasonCount> RecorderFacts::BlindBy() const {
  std::array<uint64_t, record::kBlindReasonCount> all{};
  for (const auto& [process, span] : spans_) blind_.AddLengths(process, record::Source::kCupti, span.last, &all);
  return all;
}

uint64_t RecorderFacts::BlindNs() const {
  uint64_t sum = 0;
  for (const uint64_t ns : BlindBy()) sum = SaturatingAdd(sum, ns);
  return sum;
}

template <typename Events, typename Member>
uint64_t RecorderFacts::Sum(const Events& events, Member member) {
  uint64_t sum = 0;
  for (const auto& [process, event] : events) sum = SaturatingAdd(sum, event.*member);
  return sum;
}

uint64_t RecorderFacts::WorkerCpuNs() const { return Sum(costs_, &record::OwnCost::worker_cpu_ns); }
uint64_t RecorderFacts::FlushCpuNs() const { return Sum(costs_, &record::OwnCost::flush_cpu_ns); }
uint64_t RecorderFacts::CuptiOverheadNs() const { return Sum(costs_, &record::OwnCost::cupti_overhead_ns); }
uint64_t RecorderFacts::CallbackNs() const { return Sum(costs_, &record::OwnCost::callback_ns); }
uint64_t RecorderFacts::MemoryBytes() const { return Sum(costs_, &record::OwnCost::memory_bytes); }

record::CaptureTotals RecorderFacts::Counted() const {
  record::CaptureTotals sum;
  sum.kernels = Sum(totals_, &record::CaptureTotals::kernels);
  sum.launches = Sum(totals_, &record::CaptureTotals::launches);
  return sum;
}

uint64_t RecorderFacts::WallNs() const {
  uint64_t sum = 0;
  for (const auto& [process, span] : spans_) sum = SaturatingAdd(sum, span.last - span.first);
  return sum;
}

}  // namespace slowtoken::analysis
