#include "capture/detail_sampler.h"

#include <algorithm>

namespace slowtoken::capture {

using record::DetailLevel;

bool DetailSampler::Init(base::Arena& arena, attribution::Engine& engine, attribution::LiveBatches& batches,
                         base::LossCounters& losses) {
  engine_ = &engine;
  losses_ = &losses;
  return launches_.Init(arena) && iterations_.Init(arena, batches) && waiting_.Init(arena, kMostWaiting);
}

void DetailSampler::Apply(const record::DetailChange& change) {
  if (change_count_ == changes_.size()) {
    std::move(changes_.begin() + 1, changes_.end(), changes_.begin());
    --change_count_;
  }
  changes_[change_count_++] = change;
  now_ = std::max(now_, change.time);
  keeps_all_ = KeepsAll();
}

bool DetailSampler::KeepsAll() const {
  if (change_count_ == 0) return true;
  const record::DetailChange& newest = changes_[change_count_ - 1];
  return newest.level == DetailLevel::kFull && waiting_.empty() &&
         (newest.reason == record::DetailReason::kStart || newest.time + kLongestLaunch < now_);
}

// What is older than the changes that are remembered goes by the oldest of them.
const record::DetailChange& DetailSampler::LevelAt(base::TimeNs time) const {
  uint32_t i = change_count_ - 1;
  while (i > 0 && changes_[i].time > time) --i;
  return changes_[i];
}

bool DetailSampler::Decide(record::ThreadId thread, base::TimeNs at) {
  const record::DetailChange& level = LevelAt(at);
  if (level.level != DetailLevel::kSampled) return level.level == DetailLevel::kFull;
  const attribution::RangeAnswer answer = engine_->IterationAt(thread, at);
  if (answer.verdict == attribution::RangeAnswer::kFound) {
    return iterations_.Keeps(answer.key, level.unit, level.keep_one_in);
  }
  return at / kSlice % level.keep_one_in == 0;
}

// A runtime call and the driver call inside it have one id, and are kept together.
DetailSampler::Verdict DetailSampler::OfCall(const record::ApiCall& call) {
  const LaunchMemory::Kept known =
      call.correlation == 0 ? LaunchMemory::Kept::kUnknown : launches_.Get(call.correlation);
  if (known != LaunchMemory::Kept::kUnknown) {
    return known == LaunchMemory::Kept::kYes ? Verdict::kKeep : Verdict::kLeaveOut;
  }
  if (call.start >= heard_ && LevelAt(call.start).level == DetailLevel::kSampled) return Verdict::kWait;
  const bool kept = Decide(call.thread, call.start);
  launches_.Set(call.correlation, kept);
  return kept ? Verdict::kKeep : Verdict::kLeaveOut;
}

DetailSampler::Verdict DetailSampler::OfLaunch(record::CorrelationId id) const {
  if (id == 0) return Verdict::kLeaveOut;  // nobody's
  switch (launches_.Get(id)) {
    case LaunchMemory::Kept::kYes:
      return Verdict::kKeep;
    case LaunchMemory::Kept::kNo:
      return Verdict::kLeaveOut;
    case LaunchMemory::Kept::kUnknown:
      break;
  }
  return Verdict::kWait;
}

}  // namespace slowtoken::capture
