#include "attribution/wait_watch.h"

#include <algorithm>

namespace slowtoken::attribution {

using record::Annotation;
using record::AnnotationField;
using record::AnnotationName;

bool WaitWatch::Init(base::Arena& arena, const EngineConfig& config, base::LossCounters& losses) {
  on_ = config.watch_waits;
  slo_ttft_ns_ = on_ ? config.slo_ttft_ns : 0;
  slo_itl_ns_ = on_ ? config.slo_itl_ns : 0;
  idle_ns_ = config.idle_ns;
  losses_ = &losses;
  late_ = arena.AllocateArray<LateWait>(kMostLate);
  emissions_ = arena.AllocateArray<Emission>(kMostEmissions);
  return !late_.empty() && !emissions_.empty() && waits_.Init(arena, config.limits.requests);
}

WaitWatch::Wait* WaitWatch::Find(record::RequestId req, TimeNs at) {
  if (req == 0) return nullptr;
  Wait* wait = waits_.FindOrInsert(req);
  if (wait == nullptr) {
    losses_->Add(base::Loss::kWaitsUnwatched);
  } else {
    wait->heard = std::max(wait->heard, at);
  }
  return wait;
}

void WaitWatch::Add(const Annotation& annotation) {
  if (slo_ttft_ns_ == 0 && slo_itl_ns_ == 0) return;
  switch (annotation.name) {
    case AnnotationName::kReq:
      // What has ended is remembered for a while: its last emission may be taken in after its end.
      if (Wait* wait = Find(annotation.req(), std::max(annotation.start, annotation.end)); wait != nullptr) {
        if (annotation.end != 0) wait->finished = true;
        wait->arrival = annotation.start;
      }
      return;
    case AnnotationName::kReqFinish:
      saw_finish_ = true;
      if (Wait* wait = Find(annotation.req(), annotation.start); wait != nullptr) wait->finished = true;
      return;
    case AnnotationName::kReqSend:
    case AnnotationName::kReqToken:
      return AddEmission(annotation);
    default:
      return;
  }
}

// Tokens count where no send was ever seen: in a process that does not talk to clients.
void WaitWatch::AddEmission(const Annotation& annotation) {
  const bool is_send = annotation.name == AnnotationName::kReqSend;
  if (is_send && !saw_send_) {
    saw_send_ = true;
    emission_count_ = 0;
  }
  const bool carries_nothing =
      annotation.Has(AnnotationField::kNNew) && annotation.Get(AnnotationField::kNNew) == 0;  // a keep-alive chunk
  if (annotation.end == 0 || carries_nothing || is_send != saw_send_) return;
  if (emission_count_ == emissions_.size()) {
    losses_->Add(base::Loss::kWaitsUnwatched);
    return;
  }
  emissions_[emission_count_++] = {annotation.req(), annotation.end,
                                   static_cast<uint32_t>(annotation.Get(AnnotationField::kN))};
}

void WaitWatch::AddStall(const record::GapSummary& gap, uint64_t threshold_ns) {
  if (!on_ || slo_itl_ns_ != 0 || stall_count_ == kMostLate) return;
  // They come between two Runs, behind what the last one told.
  if (stall_count_ == 0) late_count_ = 0;
  ++stall_count_;
  Tell({record::TriggerKind::kStall, gap.req, gap.n, gap.gap_ns, threshold_ns});
}

void WaitWatch::Run(TimeNs heard) {
  if (stall_count_ == 0) late_count_ = 0;
  stall_count_ = 0;
  std::sort(emissions_.begin(), emissions_.begin() + emission_count_, [](const Emission& a, const Emission& b) {
    return a.req != b.req ? a.req < b.req : a.instant < b.instant;
  });
  for (const Emission& emission : emissions_.first(emission_count_)) EndWait(emission);
  emission_count_ = 0;
  waits_.ForEach([&](record::RequestId req, Wait& wait) {
    const bool end_is_seen = wait.arrival != 0 || saw_finish_;
    if (!wait.finished && !wait.told && end_is_seen) wait.told = Tell(req, wait, heard);
  });
  waits_.EraseIf([&](record::RequestId, const Wait& wait) {
    return wait.heard + (wait.finished ? kForgetFinishedNs : idle_ns_) < heard;
  });
}

void WaitWatch::EndWait(const Emission& emission) {
  Wait* wait = Find(emission.req, emission.instant);
  if (wait == nullptr || emission.instant <= wait->last) return;
  if (!wait->told) Tell(emission.req, *wait, emission.instant);
  wait->last = emission.instant;
  wait->n = emission.n != 0 ? emission.n : wait->n + 1;
  wait->told = false;
}

// True if the wait has passed its limit at `until`.
bool WaitWatch::Tell(record::RequestId req, const Wait& wait, TimeNs until) {
  const bool first = wait.last == 0;
  const TimeNs since = first ? wait.arrival : wait.last;
  const uint64_t limit = first ? slo_ttft_ns_ : slo_itl_ns_;
  if (since <= blind_until_ || limit == 0 || until <= since || until - since <= limit) return false;
  Tell({first ? record::TriggerKind::kSloTtft : record::TriggerKind::kSloItl, req, wait.n + 1, until - since, limit});
  return true;
}

void WaitWatch::Tell(const LateWait& late) {
  if (late_count_ < late_.size()) late_[late_count_++] = late;
}

}  // namespace slowtoken::attribution
