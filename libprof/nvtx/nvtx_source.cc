#include "nvtx/nvtx_source.h"

#include <algorithm>

#include "capture/lost_records.h"

namespace slowtoken::nvtx {
namespace {

// A handler says that it is busy before it takes its stamp, but that store may reach us some ns after.
constexpr record::TimeNs kStoreDelayNs = 1000;

// Of a record: all that is not the llmserve text or payload.
constexpr uint32_t kBesideText = 1024;

Collector::Options CollectorOptions(const Options& options) {
  return {.key = options.key,
          .clear_ids = options.clear_ids,
          .clear_domains = options.clear_domains,
          .role = options.role,
          .rules = options.rules,
          .engine = options.engine,
          .slots = options.threads,
          .strings = options.strings,
          .max_rows = 4096,
          .open = options.open};
}

}  // namespace

size_t NvtxSource::MemoryNeeded(const Options& options) {
  constexpr size_t kAlignment = 4096;  // all pieces together
  return sizeof(Recorder) + sizeof(Names) + options.name_bytes + NameTable::MemoryNeeded(kOverflowDomain - 1) +
         NameTable::MemoryNeeded(options.strings) + RecycledStrings::MemoryNeeded(options.recycled_strings) +
         SchemaTable::MemoryNeeded(options.schemas) +
         ThreadSlots::MemoryNeeded(options.threads, options.chunks, options.chunk_bytes) +
         options.threads * (2 * sizeof(uint64_t) + sizeof(bool)) + Collector::MemoryNeeded(CollectorOptions(options)) +
         kAlignment;
}

bool NvtxSource::FitInto(Options& options, size_t bytes) {
  constexpr uint32_t kFewest = 8;
  options.chunks = 0;
  const size_t tables = MemoryNeeded(options);
  const size_t chunks = bytes > tables ? (bytes - tables) / (options.chunk_bytes + sizeof(uint32_t)) : 0;
  options.chunks = static_cast<uint32_t>(chunks);
  return chunks >= kFewest;
}

Names* NvtxSource::MakeNames(base::Arena& arena, const Options& options) {
  auto* names = arena.Make<Names>();
  if (names == nullptr || !names->texts.Init(arena, options.name_bytes) ||
      !names->domains.Init(arena, kOverflowDomain - 1, names->texts) ||
      !names->strings.Init(arena, options.strings, names->texts) ||
      !names->recycled.Init(arena, options.recycled_strings) ||
      !names->schemas.Init(arena, options.schemas, names->texts)) {
    return nullptr;
  }
  return names;
}

bool NvtxSource::Init(base::Arena& arena, const Options& options, base::LossCounters& losses) {
  Recorder* inherited = g_recorder.load(std::memory_order_acquire);
  auto* recorder = arena.Make<Recorder>();
  if (recorder == nullptr) return false;
  recorder->losses = &losses;
  if (inherited != nullptr) recorder->installed.store(inherited->installed.load(std::memory_order_relaxed));
  recorder->SetTsc(capture::ClockMap::TscUsable());
  recorder->text_limit = options.text_limit;
  const uint32_t most = options.chunk_bytes - kBesideText;
  recorder->llmserve_limit = options.llmserve_limit < most ? options.llmserve_limit : most;
  recorder->names = inherited != nullptr ? inherited->names : MakeNames(arena, options);
  ends_ = arena.AllocateArray<uint64_t>(options.threads);
  not_before_ = arena.AllocateArray<uint64_t>(options.threads);
  busy_ = arena.AllocateArray<bool>(options.threads);
  if (recorder->names == nullptr || busy_.empty() || not_before_.empty() || ends_.empty() ||
      !recorder->threads.Init(arena, options.threads, options.chunks, options.chunk_bytes)) {
    return false;
  }
  last_begin_ = capture::RawStamp();
  if (!collector_.Init(arena, CollectorOptions(options), *recorder)) return false;
  recorder_ = recorder;
  lost_looked_ = base::MonotonicNow();
  g_recorder.store(recorder, std::memory_order_release);
  if (inherited != nullptr) inherited->threads.DropKey();
  return true;
}

void NvtxSource::Collect(capture::CollectContext& context) {
  if (!told_ && recorder_->installed.load(std::memory_order_relaxed)) {
    told_ = true;
    TellStatus(recorder_->mode.load(std::memory_order_relaxed) == Mode::kPaused, context);
  }
  const uint64_t begin = capture::RawStamp();
  const std::span<HostThread> threads = recorder_->threads.threads();
  // The round before saw the slots that are new now unclaimed: nothing of theirs is older.
  for (; seen_ < threads.size(); ++seen_) not_before_[seen_] = last_begin_;
  last_begin_ = begin;
  for (size_t i = 0; i < threads.size(); ++i) {
    busy_[i] = threads[i].busy.load(std::memory_order_acquire);
    ends_[i] = threads[i].queue.tail();
  }
  collector_.BeginRound(context);
  complete_ = begin;
  for (uint32_t i = 0; i < threads.size(); ++i) {
    Drain(i, ends_[i], context);
    // An event on its way has a stamp we cannot know, but not one before the last of its queue, nor before the thread
    // was last seen without one.
    if (!busy_[i]) not_before_[i] = begin;
    complete_ = std::min(complete_, not_before_[i]);
  }
  collector_.EndRound(context);
  TellLost(context);
  CountHostTime(context.clock);
}

void NvtxSource::CountHostTime(const capture::ClockMap& clock) {
  uint64_t total = 0;
  for (const HostThread& thread : recorder_->threads.threads()) total += thread.timer.Total();
  host_ns_ += clock.Length(total - host_time_);
  host_time_ = total;
}

void NvtxSource::Drain(uint32_t i, uint64_t end, capture::CollectContext& context) {
  recorder_->threads.threads()[i].queue.Drain(end, [&](const RecordHeader& header, const std::byte* record) {
    if (__builtin_expect(read_until_ != 0, 0) && OutOfTime()) return;
    not_before_[i] = std::max(not_before_[i], header.stamp);
    collector_.Take(i, header, record, context);
  });
  recorder_->threads.Reclaim(i);
}

// Called for each event of the last round. Looks at the clock at every 128th; what comes when time is up is counted.
bool NvtxSource::OutOfTime() {
  constexpr uint32_t kLook = 128;
  if (unread_ == 0 && (++read_at_end_ % kLook != 0 || base::MonotonicNow() < read_until_)) return false;
  ++unread_;
  return true;
}

void NvtxSource::CollectLast(capture::CollectContext& context, record::TimeNs deadline) {
  const record::TimeNs now = base::MonotonicNow();
  if (deadline > now) read_until_ = now + (deadline - now) / 2;
  Collect(context);
  if (unread_ != 0) context.losses.Add(base::Loss::kUnreadAtEnd, unread_);
  recorder_->SetMode(Mode::kSilent);
}

record::TimeNs NvtxSource::CompleteUpTo(const capture::ClockMap& clock, record::TimeNs round_start) {
  const record::TimeNs complete = clock.FromTsc(complete_);
  const record::TimeNs sure = complete > kStoreDelayNs ? complete - kStoreDelayNs : 0;
  return sure < round_start ? sure : round_start;
}

void NvtxSource::AddTotals(record::CaptureTotals& totals) const {
  totals.nvtx_events += collector_.events();
  totals.annotations += collector_.annotations();
}

void NvtxSource::ForgetInChild() { recorder_->SetMode(Mode::kSilent); }

void NvtxSource::SetPaused(bool paused, capture::CollectContext& context) {
  if (told_) TellStatus(paused, context);
  if (paused) recorder_->pauses.fetch_add(1, std::memory_order_relaxed);
  recorder_->SetMode(paused ? Mode::kPaused : Mode::kRecording);
}

// Nothing is said before a module has called NVTX: in most processes none does.
void NvtxSource::TellStatus(bool paused, capture::CollectContext& context) {
  record::SourceStatus status = Active();
  if (paused) {
    status.state = record::SourceState::kPaused;
    status.reason = record::BlindReason::kPaused;
    status.detail = context.dictionary.InternText(capture::kPausedText);
  }
  status.time = base::MonotonicNow();
  context.out.On(status);
}

// Host threads count what finds no room; when exactly, nobody knows: somewhen since the last round.
void NvtxSource::TellLost(capture::CollectContext& context) {
  const record::TimeNs now = base::MonotonicNow();
  const uint64_t lost = recorder_->losses->Get(base::Loss::kNvtxRingFull);
  const bool recording = told_ && recorder_->mode.load(std::memory_order_relaxed) == Mode::kRecording;
  if (lost != lost_ && recording) capture::TellLostRecords(Active(), lost_looked_, now, context);
  lost_ = lost;
  lost_looked_ = now;
}

}  // namespace slowtoken::nvtx
