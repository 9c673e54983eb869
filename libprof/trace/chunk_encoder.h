// ChunkEncoder: events in, chunks of the trace file out. The worker (or an importer) delivers every event to it; it
// keeps them as delta-coded columns in memory taken once from the arena, and at each Advance (or when a budget of the
// chunk is used up) writes one self-contained chunk through the sink.
//
// One thread at a time. A kernel costs about 70 instructions and 6 bytes; one from a site new to the chunk 100 more.
// Full or refused: the chunk is dropped whole and counted (chunk_write_failed), what does not fit into any chunk is
// counted (event_too_large), and it goes on. All events must be those of one process: `process` is not written.
#pragma once

#include "trace/chunk_builder.h"
#include "trace/file_header.h"
#include "trace/live_state.h"
#include "trace/sink.h"

namespace slowtoken::trace {

// Delivers what is open now: ranges and annotations with end == 0, and the batch membership as `batch` annotations with
// batch_is_set. Called at the end of each chunk that has an Advance for what that chunk leaves open, and after every
// chunk for the membership at the head of the next; on the encoder's thread, between events.
using OpenRanges = void (*)(void* context, record::EventVisitor& out);

class ChunkEncoder final : public record::EventVisitor {
 public:
  using Limits = EncoderLimits;

  ChunkEncoder() = default;
  ChunkEncoder(const ChunkEncoder&) = delete;
  ChunkEncoder& operator=(const ChunkEncoder&) = delete;

  // Takes its memory from `arena`. Everything given is borrowed for the encoder's life, the texts of `header` too.
  // False when the arena is too small; the encoder then ignores all events.
  bool Init(base::Arena& arena, const record::Dictionary& dictionary, base::LossCounters& losses, Sink& sink,
            const FileHeader& header, const Limits& limits);
  // From the next chunk on.
  void SetSink(Sink& sink) { sink_ = &sink; }
  void SetOpenRanges(OpenRanges open_ranges, void* context);

  void On(const record::Kernel& event) override;
  void On(std::span<const record::Kernel> events) override;
  void On(const record::Memcpy& event) override;
  void On(const record::Memset& event) override;
  void On(const record::GraphLaunch& event) override;
  void On(const record::ApiCall& event) override;
  void On(std::span<const record::ApiCall> events) override;
  void On(const record::Synchronization& event) override;
  void On(const record::Overhead& event) override;
  void On(const record::NvtxRange& event) override;
  void On(const record::NvtxMark& event) override;
  void On(const record::Annotation& event) override;
  void On(const record::DeviceInfo& event) override;
  void On(const record::ContextInfo& event) override;
  void On(const record::StreamInfo& event) override;
  void On(const record::ThreadInfo& event) override;
  void On(const record::NvtxDomainInfo& event) override;
  void On(const record::NvtxCategoryInfo& event) override;
  void On(const record::RequestIdText& event) override;
  void On(const record::ClockSnapshot& event) override;
  void On(const record::LossTotals& event) override;  // the larger of these and the counters given to Init is written
  void On(const record::SourceStatus& event) override;
  void On(const record::OwnCost& event) override;
  void On(const record::CaptureTotals& event) override;  // the newest is written
  void On(const record::Advance& event) override;        // seals the chunk
  void On(const record::RequestSummary& event) override;
  void On(const record::GapSummary& event) override;
  void On(const record::IterationSummary& event) override;
  void On(const record::HistogramSnapshot& event) override;
  void On(const record::CounterSnapshot& event) override;
  void On(const record::DetailChange& event) override;
  void On(const record::Trigger& event) override;
  void On(const record::Condition& event) override;
  void On(const record::DeviceSample& event) override;
  void On(const record::OffCpu& event) override;
  void On(const record::CpuSample& event) override;
  void On(const record::HostSample& event) override;

  // Writes the chunk as it is; nullptr: a continuation, without Advance. True if the sink took it.
  bool Seal(const record::Advance* advance);

  // Writes what came since the last Advance and the end frame. What is still open should have been delivered before as
  // events (end == 0). Events afterwards are ignored.
  void Finish();

  // Begins a trace anew, through the same sink: what was not written is forgotten, and so is the live state.
  void Restart();

  // Tells what stands at the head of every chunk and is about the process as a whole: devices, sources, conditions,
  // clock, detail level; and the newest sample of each device.
  void TellState(record::EventVisitor& out) const;

  uint64_t chunks_written() const { return chunks_written_; }
  uint64_t bytes_written() const { return bytes_written_; }  // frames: headers and payloads

 private:
  // Where ranges and annotations go.
  enum class Mode : uint8_t { kClosed, kEvents, kOpenAtEnd, kBatchesAtStart };

  bool Awake() {
    pending_ = true;
    return mode_ != Mode::kClosed;
  }
  // As Ready, for events that add no nested list, no text and no request: a few instructions.
  bool ReadyForOne() { return Awake() && (chunk_.HasPages() || Ready()); }
  bool Ready(size_t values = 0, size_t text_bytes = 0, size_t requests = 0);
  template <typename Site>
  typename SiteTable<Site>::Entry& EnterSite(SiteTable<Site>& sites, SiteRows<Site>& rows, const Site& site);
  template <typename Event, typename Site, typename EndBefore>
  void AddAtSites(std::span<const Event> events, SiteTable<Site>& sites, SiteRows<Site>& rows, EndBefore end_before);
  void WriteRows();
  // Writes the chunk as it is, for an event that has no room in it.
  void Continue();
  void CollectOpen(Mode mode);
  void MergeLosses();
  size_t Serialize(const record::Advance* advance);
  bool WriteFrame(uint8_t flags, uint64_t watermark, size_t payload_size);

  ChunkBuilder chunk_;
  LiveState live_;
  std::span<uint8_t> payload_;
  const record::Dictionary* dictionary_ = nullptr;
  base::LossCounters* losses_ = nullptr;
  Sink* sink_ = nullptr;
  FileHeader header_;
  OpenRanges open_ranges_ = nullptr;
  void* open_context_ = nullptr;
  Mode mode_ = Mode::kClosed;
  bool pending_ = false;  // something came since the last chunk
  uint64_t sequence_ = 0;
  uint64_t chunks_written_ = 0;
  uint64_t bytes_written_ = 0;
};

}  // namespace slowtoken::trace
