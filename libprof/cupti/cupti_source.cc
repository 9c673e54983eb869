#include "cupti/cupti_source.h"

#include <stdio.h>

#include "cupti/library_search.h"
#include "cupti/record_walker.h"

namespace slowtoken::cupti {
namespace {

// CUPTI's clock is CLOCK_REALTIME but for a few platforms; closer than this it is the same clock.
constexpr int64_t kSameClockNs = 1'000'000;

int64_t OffsetToRealtime(const record::ClockSnapshot& snapshot) {
  if (snapshot.cupti == 0) return 0;
  const auto offset = static_cast<int64_t>(snapshot.cupti - snapshot.realtime);
  return offset > -kSameClockNs && offset < kSameClockNs ? 0 : offset;
}

}  // namespace

size_t CuptiSource::MemoryNeeded(const Options& options) {
  constexpr size_t kTables = 2u << 20;  // shapes, notes, graphs: about 1.1 MB
  return BufferPool::MemoryNeeded(options.buffer_count, options.buffer_bytes) + kTables;
}

bool CuptiSource::Init(base::Arena& arena, base::LossCounters& losses, const Options& options) {
  losses_ = &losses;
  options_ = options;
  return host_.pool.Init(arena, options.buffer_count, options.buffer_bytes, losses) &&
         host_.notes.Init(arena, losses) && decode_.classes.Init(arena) && decode_.shapes.Init(arena) &&
         decode_.lanes.Init(arena) && decode_.graphs.Init(arena);
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
  attachment_ = AttachToCupti(host_.api, options_, decode_.classes, *losses_);
  decode_.whole_api_kinds = attachment_.whole_api_kinds;
  decode_.thread_ids_known = attachment_.thread_ids_known;
  return attachment_.collecting;
}

void CuptiSource::Collect(capture::CollectContext& context) { CollectOnce(context, false); }

void CuptiSource::CollectLast(capture::CollectContext& context, record::TimeNs deadline) {
  CollectOnce(context, base::MonotonicNow() < deadline);
}

void CuptiSource::CollectOnce(capture::CollectContext& context, bool forced) {
  if (!started_.load(std::memory_order_acquire)) return;
  NoticeLoss();
  if (status_due_) EmitStatus(context);
  if (!attachment_.collecting || !host_.active()) return;
  if (Flush(context.losses, forced)) CountDropped(context.losses);
  if (status_due_) EmitStatus(context);
  DecodeFilled(context);
  host_.pool.Adapt(base::MonotonicNow());
}

record::TimeNs CuptiSource::CompleteUpTo(const capture::ClockMap&, record::TimeNs round_start) {
  const record::TimeNs outstanding = host_.pool.OldestOutstanding();
  if (outstanding == 0 || outstanding >= round_start || !host_.active()) return round_start;
  return outstanding + kLongestHold > round_start ? outstanding : round_start - kLongestHold;
}

// False when nothing was flushed: CUPTI never asked for a buffer, so there is nothing, and a flush in a process that
// never used the GPU can hang at exit (bug log row 6).
bool CuptiSource::Flush(base::LossCounters& losses, bool forced) {
  if (!host_.pool.Used() || host_.api.flush_all == nullptr) return false;
  const base::TimeNs before = base::ReadClock(CLOCK_THREAD_CPUTIME_ID);
  const CUptiResult result = host_.api.flush_all(forced ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
  flush_cpu_ns_ += base::ReadClock(CLOCK_THREAD_CPUTIME_ID) - before;
  if (result == CUPTI_SUCCESS) return true;
  losses.Add(base::Loss::kFaultedCall);
  NoticeFailedFlush(static_cast<int32_t>(result));
  return true;
}

// Said once.
void CuptiSource::NoticeFailedFlush(int32_t error) {
  if (attachment_.error != 0 || !host_.active()) return;
  attachment_.error = error;
  snprintf(attachment_.detail, sizeof attachment_.detail,
           "cuptiActivityFlushAll failed with error %d: GPU records come late, when a buffer is full, or not at all",
           error);
  status_due_ = true;
}

// Reading resets CUPTI's count. No answer is not zero (bug log row 46).
void CuptiSource::CountDropped(base::LossCounters& losses) {
  size_t dropped = 0;
  if (host_.api.get_num_dropped == nullptr || host_.api.get_num_dropped(nullptr, 0, &dropped) != CUPTI_SUCCESS) {
    losses.Add(base::Loss::kCuptiDroppedUnknown);
  } else if (dropped != 0) {
    losses.Add(base::Loss::kCuptiDropped, dropped);
  }
}

void CuptiSource::DecodeFilled(capture::CollectContext& context) {
  decode_.times.BeginRound(context.clock);
  decode_.shapes.BeginRound();
  const int64_t offset = OffsetToRealtime(context.clock.latest());
  // At most one pass over the pool: a host that fills buffers faster than we decode must not hold the worker here.
  for (uint32_t i = 0; i < host_.pool.count() && host_.active(); ++i) {
    const BufferPool::Buffer filled = host_.pool.TakeFilled();
    // After the take: every note that a record of this buffer can need was written before the buffer came back.
    decode_.graphs.Drain(host_.notes, offset);
    if (filled.data == nullptr) return;
    DecodeBuffer(filled, decode_, context);
    host_.pool.Recycle(filled, attachment_.zeroed_by_us);
  }
}

// After a fatal error CUPTI has detached itself.
void CuptiSource::NoticeLoss() {
  if (host_.state.load(std::memory_order_acquire) != HostSide::State::kLost) return;
  if (attachment_.state == record::SourceState::kLost) return;
  attachment_.state = record::SourceState::kLost;
  attachment_.reason = record::BlindReason::kTornDown;
  attachment_.error = host_.fatal_error;
  snprintf(attachment_.detail, sizeof attachment_.detail,
           "CUPTI met a fatal error (%d) and detached itself: no GPU records from here on. %s", host_.fatal_error,
           host_.fatal_message);
  status_due_ = true;
}

void CuptiSource::EmitStatus(capture::CollectContext& context) {
  status_due_ = false;
  record::SourceStatus status;
  status.source = record::Source::kCupti;
  status.state = attachment_.state;
  status.reason = attachment_.reason;
  status.error = attachment_.error;
  status.version = attachment_.version;
  status.detail = context.dictionary.InternText(attachment_.detail);
  status.time = base::MonotonicNow();
  if (paused_ && status.EndsBlind()) {
    status.state = record::SourceState::kPaused;
    status.reason = record::BlindReason::kPaused;
    status.detail = context.dictionary.InternText(capture::kPausedText);
  }
  context.out.On(status);
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
  cost.flush_cpu_ns += flush_cpu_ns_;
  cost.cupti_overhead_ns += decode_.cupti_cost_ns;
}

void CuptiSource::ForgetInChild() {
  host_.state.store(HostSide::State::kForgotten, std::memory_order_release);
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
