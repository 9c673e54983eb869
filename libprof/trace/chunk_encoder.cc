#include "trace/chunk_encoder.h"

#include <algorithm>

#include "base/crc32c.h"
#include "trace/chunk_writer.h"
#include "trace/frame.h"

namespace slowtoken::trace {
namespace {

// Payload bytes that are neither columns nor texts: header with labels, totals, resources, framing of batches.
constexpr size_t kFixedPayload = 192u << 10;

std::string_view TextOfId(const record::Dictionary& dictionary, record::StringId id) noexcept {
  return dictionary.text(id);
}

}  // namespace

bool ChunkEncoder::Init(base::Arena& arena, const record::Dictionary& dictionary, base::LossCounters& losses,
                        Sink& sink, const FileHeader& header, const Limits& limits) {
  dictionary_ = &dictionary;
  losses_ = &losses;
  sink_ = &sink;
  header_ = header;
  if (!chunk_.Init(arena, dictionary, losses, limits) || !live_.Init(arena)) return false;
  const size_t columns = (chunk_.store.free_pages() + size_t{1}) * ColumnStore::kPageData;
  const size_t per_text = 6;  // tag and length
  payload_ = arena.AllocateArray<uint8_t>(columns + chunk_.text_bytes_cap() + limits.texts * per_text +
                                          limits.requests * sizeof(record::RequestId) + kFixedPayload);
  if (!payload_.empty()) mode_ = Mode::kEvents;
  return !payload_.empty();
}

void ChunkEncoder::SetOpenRanges(OpenRanges open_ranges, void* context) {
  open_ranges_ = open_ranges;
  open_context_ = context;
}

// True if the event may be added now; writes the chunk out first where it is full.
bool ChunkEncoder::Ready(size_t values, size_t text_bytes, size_t requests) {
  if (!Awake()) return false;
  if (chunk_.HasRoom(values, text_bytes, requests)) [[likely]] {
    return true;
  }
  // Not while the chunk is being closed: what is open then and does not fit is lost.
  if (mode_ == Mode::kEvents) Continue();
  // A text too long for any chunk is lost alone (UseText counts it), the event stays.
  if (chunk_.HasRoom(values, 0, requests)) return true;
  losses_->Add(base::Loss::kEventTooLarge);
  return false;
}

void ChunkEncoder::Continue() {
  Seal(nullptr);
  pending_ = true;
}

void ChunkEncoder::On(const record::Advance& event) { Seal(&event); }

bool ChunkEncoder::Seal(const record::Advance* advance) {
  if (mode_ != Mode::kEvents) return false;
  chunk_.WriteRows();
  if (advance != nullptr) CollectOpen(Mode::kOpenAtEnd);
  const size_t size = Serialize(advance);
  const bool ok =
      size != 0 && WriteFrame(advance != nullptr ? kHasAdvance : 0, advance != nullptr ? advance->watermark : 0, size);
  if (size == 0) ++sequence_;
  if (ok) {
    ++chunks_written_;
  } else {
    losses_->Add(base::Loss::kChunkWriteFailed);
  }
  chunk_.Reset();
  live_.ForgetOldSourceStates();
  pending_ = false;
  if (live_.clock.monotonic != 0) chunk_.AddRow(chunk_.columns.clocks, live_.clock);
  if (live_.detail.time != 0) chunk_.AddRow(chunk_.columns.detail_changes, live_.detail);
  CollectOpen(Mode::kBatchesAtStart);
  return ok;
}

void ChunkEncoder::Finish() {
  if (mode_ != Mode::kEvents) return;
  if (pending_) Seal(nullptr);
  WriteFrame(kEndOfTrace, 0, 0);
  mode_ = Mode::kClosed;
}

void ChunkEncoder::Restart() {
  if (payload_.empty()) return;
  chunk_.Reset();
  live_.Clear();
  pending_ = false;
  sequence_ = 0;
  mode_ = Mode::kEvents;
}

void ChunkEncoder::CollectOpen(Mode mode) {
  if (open_ranges_ == nullptr) return;
  const bool pending = pending_;
  mode_ = mode;
  open_ranges_(open_context_, *this);
  mode_ = Mode::kEvents;
  pending_ = pending;
}

void ChunkEncoder::MergeLosses() {
  for (size_t i = 0; i < base::kLossCount; ++i) {
    live_.losses.counts[i] = std::max(live_.losses.counts[i], losses_->Get(static_cast<base::Loss>(i)));
  }
}

// Lays the chunk out in payload_; returns its size, 0 if it does not fit.
size_t ChunkEncoder::Serialize(const record::Advance* advance) {
  MergeLosses();
  chunk_.OpenTextReserve();
  live_.ForEachText([this](record::StringId id) { chunk_.UseText(id); });
  ChunkColumns& c = chunk_.columns;
  const BatchView batches[] = {
      {17, c.open_ranges.columns},
      {18, c.open_annotations.columns},
      {19, c.batches_at_start.columns},
      {21, c.shapes.columns},
      {22, c.lanes.columns},
      {30, c.kernels.columns},
      {31, c.memcpys.columns},
      {32, c.memsets.columns},
      {33, c.graph_launches.columns},
      {34, c.api_calls.columns},
      {35, c.synchronizations.columns},
      {36, c.overheads.columns},
      {37, c.ranges.columns},
      {38, c.marks.columns},
      {39, c.annotations.columns},
      {40, c.request_id_texts.columns, &c.request_id_texts.text},
      {41, c.clocks.columns},
      {42, c.own_costs.columns},
      {43, c.request_summaries.columns},
      {44, c.gap_summaries.columns},
      {45, c.iteration_summaries.columns},
      {46, c.histograms.columns},
      {47, c.detail_changes.columns},
      {48, c.triggers.columns},
      {49, c.counters.columns},
      {50, c.device_samples.columns},
      {51, c.off_cpu.columns},
      {52, c.cpu_samples.columns},
      {53, c.host_samples.columns},
  };
  const ChunkContents contents{header_,      advance,  live_,        batches,          chunk_.store,
                               *dictionary_, TextOfId, chunk_.texts, chunk_.requests()};
  return WriteChunk(contents, payload_);
}

bool ChunkEncoder::WriteFrame(uint8_t flags, uint64_t watermark, size_t payload_size) {
  FrameHeader frame;
  frame.flags = flags;
  frame.stored_size = frame.raw_size = static_cast<uint32_t>(payload_size);
  frame.payload_crc = base::Crc32c(payload_.data(), payload_size);
  frame.sequence = sequence_++;
  frame.watermark = watermark;
  const FrameHeaderBytes bytes = EncodeFrameHeader(frame);
  if (!sink_->Write(bytes, payload_.first(payload_size))) return false;
  bytes_written_ += bytes.size() + payload_size;
  return true;
}

}  // namespace slowtoken::trace
