// CuptiSource while CUPTI is another's: how that is noticed, and how recording begins again.
#include <stdio.h>
#include <string.h>

#include <utility>

#include "cupti/cupti_source.h"
#include "cupti/subscription_slot.h"

namespace slowtoken::cupti {
namespace {

// What a CUPTI answers that was working before and has been finalised since: by another tool, or by itself after a
// fatal error (cupti_callbacks.h:297). Registered call-backs are gone then (cupti_activity.h:7741).
bool MeansTornDown(CUptiResult result) {
  return result == CUPTI_ERROR_INVALID_OPERATION || result == CUPTI_ERROR_NOT_INITIALIZED;
}

}  // namespace

// Asked twice before it is believed, with a flush in between.
void CuptiSource::CheckStillOurs(CUptiResult flushed, base::LossCounters& losses) {
  if (MeansTornDown(flushed)) {
    return BeginBlind(record::BlindReason::kTornDown, "CUPTI was torn down, by another tool or by a fatal error");
  }
  if (flushed != CUPTI_SUCCESS) return;
  const base::TimeNs now = base::MonotonicNow();
  ProbeCall::Verdict verdict = probe_.Ask(host_);
  if (verdict == ProbeCall::Verdict::kNotOurs && Flush(losses, false) == CUPTI_SUCCESS) verdict = probe_.Ask(host_);
  if (verdict == ProbeCall::Verdict::kNotOurs || (probe_.Suspicious() && AskForSlot(host_.api).taken())) {
    return BeginBlind(record::BlindReason::kBuffersTaken, "another tool took CUPTI's buffers or record kinds over");
  }
  if (Starved(now)) {
    last_ours_ = fed_at_;
    return BeginBlind(record::BlindReason::kBuffersTaken,
                      "launches go on and start nothing: another tool switched the "
                      "kernel records off");
  }
  if (!probe_.Waiting()) last_ours_ = now;
  if (reclaim_at_ == 0 || now < reclaim_at_) return;
  reclaim_at_ = 0;
  host_.pool.Reclaim();
}

// Bug log row 35: calls are recorded, what they start is not. Only where it was before.
bool CuptiSource::Starved(base::TimeNs now) {
  const uint64_t gpu_records = decode_.totals.kernels + decode_.totals.graph_launches;
  if (std::exchange(gpu_records_, gpu_records) != gpu_records) {
    fed_at_ = now;
    launches_at_feed_ = decode_.totals.launches;
    return false;
  }
  return fed_at_ != 0 && now - fed_at_ >= options_.starved_after &&
         decode_.totals.launches - launches_at_feed_ >= kManyLaunches;
}

// The interval begins with the last sign that all was well. Buffers that are out went to whoever is there.
void CuptiSource::BeginBlind(record::BlindReason reason, const char* what) {
  const base::TimeNs now = base::MonotonicNow();
  attachment_.state = record::SourceState::kLost;
  attachment_.reason = reason;
  attachment_.error = 0;
  attachment_.collecting = false;
  snprintf(attachment_.detail, sizeof attachment_.detail, "%s: no GPU records until it lets go of CUPTI", what);
  host_.pool.GiveUpLent(now);
  timer_.BlindBegan(now, /*holder_seen=*/reason == record::BlindReason::kTornDown);
  holder_named_ = false;
  status_due_ = true;
}

void CuptiSource::LookAgain(capture::CollectContext& context, base::TimeNs now) {
  if (!timer_.Due(now)) return;
  const VersionPolicy policy = VersionPolicy::For(attachment_.version);
  if (!policy.rearm) {
    if (!holder_named_) NameTheHolder("CUPTI before CUDA 12.6 cannot be taken up again safely: not tried");
    return timer_.NotYet(now, false);
  }
  const SlotAnswer answer = AskForSlot(host_.api);
  if (answer.result != CUPTI_SUCCESS) {
    if (!holder_named_ && answer.taken() && answer.holder[0] != '\0') NameTheHolder(answer.holder);
    return timer_.NotYet(now, answer.taken());
  }
  if (timer_.MayArm(now)) return Rearm(context, now);
  timer_.NotYet(now, false);
}

// Said once in a blind interval: the status again, with the name in it.
void CuptiSource::NameTheHolder(const char* holder) {
  const size_t used = strnlen(attachment_.detail, sizeof attachment_.detail);
  snprintf(attachment_.detail + used, sizeof attachment_.detail - used, " (%s)", holder);
  holder_named_ = true;
  status_due_ = true;
}

// Late records of the devices, contexts and streams that came into being meanwhile; captures whose end we missed are
// forgotten; kinds the other tool left on may bring more than we asked for.
void CuptiSource::Rearm(capture::CollectContext& context, base::TimeNs now) {
  Options options = options_;
  options.attach_late = options.again = true;
  const record::BlindReason reason = attachment_.reason;
  const base::TimeNs since = last_ours_;
  const Attachment attachment = AttachToCupti(host_.api, options, decode_.classes, context.losses);
  if (!attachment.collecting || attachment.reason != record::BlindReason::kNone) {
    return timer_.NotYet(now, attachment.reason == record::BlindReason::kOtherTool);
  }
  attachment_ = attachment;
  timer_.Armed(now);
  decode_.captures = CaptureSpans();
  decode_.whole_api_kinds = true;
  decode_.thread_ids_known = attachment.thread_ids_known;
  decode_.graph_ids_wrong = !VersionPolicy::For(attachment.version).graph_ids_after_rearm;
  reclaim_at_ = now + kReclaimAfter;
  fed_at_ = 0;
  last_ours_ = base::MonotonicNow();
  status_due_ = true;
  if (probe_.Ask(host_) == ProbeCall::Verdict::kNotOurs) {
    last_ours_ = since;
    return BeginBlind(record::BlindReason::kRearmFailed, "CUPTI was free again and gives no records");
  }
  unseen_ += timer_.holder_seen() ? 0 : 1;
  if (unseen_ == kMostUnseen) probe_.GiveUp();
  snprintf(attachment_.detail, sizeof attachment_.detail, "recording again after %.1f s without GPU records (%s)%s",
           static_cast<double>(now - since) / 1e9, record::kBlindReasonNames[static_cast<size_t>(reason)],
           decode_.graph_ids_wrong
               ? "; this CUPTI gives wrong correlation ids to graph launches now: they stay unmatched"
               : "");
}

}  // namespace slowtoken::cupti
