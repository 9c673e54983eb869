#include "cupti/cupti_source.h"

#include <stdio.h>

#include <algorithm>

#include "base/log.h"
#include "capture/lost_records.h"
#include "cupti/library_search.h"
#include "cupti/record_walker.h"

namespace slowtoken::cupti {

size_t CuptiSource::MemoryNeeded(const Options& options) {
  constexpr size_t kTables = 1u << 20;  // shapes, classes of calls: about 0.5 MB
  return BufferPool::MemoryNeeded(options.buffer_count, options.buffer_bytes) + kTables;
}

bool CuptiSource::Init(base::Arena& arena, base::LossCounters& losses, const Options& options) {
  losses_ = &losses;
  options_ = options;
  timer_.Init(options.rearm);
  return host_.pool.Init(arena, options.buffer_count, options.buffer_bytes, losses) && decode_.classes.Init(arena) &&
         decode_.shapes.Init(arena) && decode_.lanes.Init(arena);
}

bool CuptiSource::Start() {
  const bool collecting = Attach();
  started_.store(true, std::memory_order_release);
  return collecting;
}

bool CuptiSource::Attach() {
  if (options_.api != nullptr) {
    host_.api = *options_.api;
  } else {
    const Library library = FindCupti();
    if (library.handle == nullptr) {
      attachment_.state = record::SourceState::kNotFound;
      snprintf(attachment_.detail, sizeof attachment_.detail,
               "libcupti.so.13 or .12 not found: install CUPTI or set CUDA_HOME to get GPU records");
      return false;
    }
    host_.api = ApiTable::FromHandle(library.handle);
  }
  decode_.api = host_.api;
  decode_.classes.Fill(host_.api);
  host_.null_buffer = VersionPolicy::For(host_.api.Version()).null_buffer;
  HostSide::Install(&host_);
  probe_.Init(options_.api != nullptr ? options_.probe : ProbeCall::Find());
  attachment_ = AttachToCupti(host_.api, options_, decode_.classes, *losses_);
  last_ours_ = counted_at_ = base::MonotonicNow();
  if (blind()) timer_.BlindBegan(last_ours_, /*holder_seen=*/true);
  holder_named_ = blind();
  decode_.whole_api_kinds = attachment_.whole_api_kinds;
  decode_.thread_ids_known = attachment_.thread_ids_known;
  return attachment_.collecting;
}

void CuptiSource::Collect(capture::CollectContext& context) { CollectOnce(context, false, false); }

void CuptiSource::CollectLast(capture::CollectContext& context, record::TimeNs deadline) {
  const record::TimeNs begin = base::MonotonicNow();
  CollectOnce(context, begin < deadline, true);
  // A flush that was forced brings everything back: what CUPTI still holds now, it keeps.
  if (const uint32_t kept = host_.pool.LentBefore(begin); kept != 0) {
    context.losses.Add(base::Loss::kBufferKeptByCupti, kept);
  }
}

void CuptiSource::CollectOnce(capture::CollectContext& context, bool forced, bool last) {
  if (!started_.load(std::memory_order_acquire) || !host_.active()) return;
  if (status_due_) EmitStatus(context);
  if (blind()) {
    DecodeFilled(context);  // what came before the end
    if (!last) LookAgain(context, base::MonotonicNow());
  } else if (attachment_.collecting) {
    const CUptiResult flushed = Flush(context.losses, forced);
    if (flushed == CUPTI_SUCCESS) TellLost(CountDropped(context.losses) != 0, context);
    if (!last) CheckStillOurs(flushed, context.losses);
    const uint64_t bytes = DecodeFilled(context);
    NoticeFlushCost(flush_cpu_ns_, bytes);
    host_.pool.Adapt(base::MonotonicNow());
    busy_ = bytes >= kBusyBytes;
  }
  CountHostTime(context.clock);
  if (status_due_) EmitStatus(context);
}

record::TimeNs CuptiSource::CompleteUpTo(const capture::ClockMap&, record::TimeNs round_start) {
  const record::TimeNs outstanding = host_.pool.OldestOutstanding();
  if (outstanding == 0 || outstanding >= round_start || !host_.active()) return round_start;
  return outstanding + kLongestHold > round_start ? outstanding : round_start - kLongestHold;
}

// NOT_READY when nothing was flushed: CUPTI never asked for a buffer, so there is nothing, and a flush in a process
// that never used the GPU can hang at exit (bug log row 6).
CUptiResult CuptiSource::Flush(base::LossCounters& losses, bool forced) {
  flush_cpu_ns_ = 0;
  if (host_.pool.requests() == 0 || host_.api.flush_all == nullptr) return CUPTI_ERROR_NOT_READY;
  const base::TimeNs before = base::ReadClock(CLOCK_THREAD_CPUTIME_ID);
  const CUptiResult result = host_.api.flush_all(forced ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
  flush_cpu_ns_ = base::ReadClock(CLOCK_THREAD_CPUTIME_ID) - before;
  if (result == CUPTI_SUCCESS) return result;
  losses.Add(base::Loss::kFaultedCall);
  NoticeFailedFlush(result);
  return result;
}

// Said once.
void CuptiSource::NoticeFailedFlush(CUptiResult error) {
  if (attachment_.error != 0) return;
  attachment_.error = static_cast<int32_t>(error);
  snprintf(attachment_.detail, sizeof attachment_.detail,
           "cuptiActivityFlushAll failed with error %d: GPU records come late, when a buffer is full, or not at all",
           static_cast<int>(error));
  status_due_ = true;
}

void CuptiSource::NoticeFlushCost(uint64_t cpu_ns, uint64_t bytes) {
  if (cpu_ns == 0 || !flush_watch_.Add(cpu_ns, bytes)) return;
  snprintf(
      attachment_.detail, sizeof attachment_.detail,
      "flushing CUPTI costs %.0f times the CPU time it did at first: known of CUPTI 13.0 to 13.4 in long sessions; "
      "restart the process, or use a newer CUPTI",
      flush_watch_.growth());
  status_due_ = true;
}

bool CuptiSource::Look() { return busy_ && !blind() && host_.active() && host_.pool.UnderPressure(); }

// From the moment the pool was dry, where it was; what CUPTI dropped for reasons of its own, since it was last asked.
void CuptiSource::TellLost(bool dropped, capture::CollectContext& context) {
  const base::TimeNs now = base::MonotonicNow();
  BufferPool::Dry lost = host_.pool.TakeDry(now);
  if (lost.start == 0 && dropped) lost = {counted_at_, now};
  counted_at_ = now;
  if (lost.start == 0 || paused_ || attachment_.state != record::SourceState::kActive) return;
  capture::TellLostRecords(Status(context), lost.start, std::max(lost.start + 1, lost.end), context);
}

// Reading resets CUPTI's count. No answer is not zero (bug log row 46).
size_t CuptiSource::CountDropped(base::LossCounters& losses) {
  size_t dropped = 0;
  if (host_.api.get_num_dropped == nullptr || host_.api.get_num_dropped(nullptr, 0, &dropped) != CUPTI_SUCCESS) {
    losses.Add(base::Loss::kCuptiDroppedUnknown);
  } else if (dropped != 0) {
    losses.Add(base::Loss::kCuptiDropped, dropped);
  }
  return dropped;
}

// The bytes decoded.
uint64_t CuptiSource::DecodeFilled(capture::CollectContext& context) {
  decode_.times.BeginRound(context.clock);
  decode_.shapes.BeginRound();
  uint64_t bytes = 0;
  // At most one pass over the pool: a host that fills buffers faster than we decode must not hold the worker here.
  for (uint32_t i = 0; i < host_.pool.count() && host_.active(); ++i) {
    const BufferPool::Buffer filled = host_.pool.TakeFilled();
    if (filled.data == nullptr) break;
    bytes += filled.bytes;
    DecodeBuffer(filled, decode_, context);
    host_.pool.Recycle(filled, attachment_.zeroed_by_us);
  }
  return bytes;
}

void CuptiSource::CountHostTime(const capture::ClockMap& clock) {
  const uint64_t total = host_.HostTime();
  host_ns_ += clock.Length(total - host_time_);
  host_time_ = total;
}

record::SourceStatus CuptiSource::Status(capture::CollectContext& context) const {
  record::SourceStatus status;
  status.source = record::Source::kCupti;
  status.state = attachment_.state;
  status.reason = attachment_.reason;
  status.error = attachment_.error;
  status.version = attachment_.version;
  status.detail = context.dictionary.InternText(attachment_.detail);
  return status;
}

void CuptiSource::EmitStatus(capture::CollectContext& context) {
  status_due_ = false;
  record::SourceStatus status = Status(context);
  status.time = blind() ? last_ours_ : base::MonotonicNow();
  if (paused_ && status.EndsBlind()) {
    status.state = record::SourceState::kPaused;
    status.reason = record::BlindReason::kPaused;
    status.detail = context.dictionary.InternText(capture::kPausedText);
  }
  context.out.On(status);
  if (attachment_.detail[0] == '\0') return;
  const bool well = attachment_.state == record::SourceState::kActive;
  base::Log(well ? base::LogLevel::kInfo : base::LogLevel::kError, "CUPTI: ", attachment_.detail);
}

// A source that is silent anyway has nothing to pause.
void CuptiSource::SetPaused(bool paused, capture::CollectContext& context) {
  paused_ = paused;
  if (!started_.load(std::memory_order_acquire)) return;
  if (attachment_.state == record::SourceState::kActive && attachment_.reason == record::BlindReason::kNone) {
    EmitStatus(context);
  }
}

void CuptiSource::AddCost(record::OwnCost& cost) const {
  cost.flush_cpu_ns += flush_watch_.total_cpu_ns();
  cost.cupti_overhead_ns += decode_.cupti_cost_ns;
  cost.callback_ns += host_ns_;
}

void CuptiSource::ForgetInChild() {
  host_.forgotten.store(true, std::memory_order_release);
  status_due_ = false;
}

void CuptiSource::AddTotals(record::CaptureTotals& totals) const {
  totals.launches += decode_.totals.launches;
  totals.launches_captured += decode_.totals.launches_captured;
  totals.kernels += decode_.totals.kernels;
  totals.graph_launches += decode_.totals.graph_launches;
  totals.memcpys += decode_.totals.memcpys;
}

}  // namespace slowtoken::cupti
