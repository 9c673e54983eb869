#include "reader/trace_file.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace slowtoken::reader {
namespace {

constexpr size_t kMostDamage = 1000;
constexpr size_t kMostLabels = 1000;

uint64_t HostTime(uint64_t time, int64_t timens_offset) {
  return time == 0 ? 0 : time - static_cast<uint64_t>(timens_offset);
}

}  // namespace

absl::StatusOr<std::unique_ptr<TraceFile>> TraceFile::Open(const std::string& path, record::ProcessIndex process,
                                                           record::Dictionary& dictionary) {
  absl::StatusOr<std::unique_ptr<FrameReader>> frames = FrameReader::Open(path);
  if (!frames.ok()) return frames.status();
  std::unique_ptr<TraceFile> file(new TraceFile(*std::move(frames), path, process, dictionary));
  const bool any = file->Load();  // for the header
  if (!file->status().ok()) return file->status();
  if (!file->frames_->magic_ok() && !any && !file->info_.clean_end) {
    if (file->info_.file_bytes == 0) {
      return absl::DataLossError(
          absl::StrCat(path, ": is empty: the process died before its first chunk, or the disk was full"));
    }
    if (file->info_.damage.empty() || file->info_.damage[0].kind != Damage::Kind::kTruncated) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, ": is no slowtoken trace (byte 0: no file magic, and no chunk anywhere); give a .stt file"));
    }
  }
  if (const absl::Status status = file->Rewind(); !status.ok()) return status;
  return file;
}

TraceFile::TraceFile(std::unique_ptr<FrameReader> frames, const std::string& path, record::ProcessIndex process,
                     record::Dictionary& dictionary)
    : frames_(std::move(frames)), decoder_(dictionary, process) {
  info_.index = process;
  info_.path = path;
  info_.file_bytes = frames_->file_bytes();
}

absl::Status TraceFile::Rewind() {
  absl::Status status = frames_->Rewind();
  info_.file_bytes = frames_->file_bytes();
  info_.chunks = 0;
  info_.clean_end = false;
  end_sequence_ = 0;
  info_.last_watermark = 0;
  info_.damage.clear();
  info_.damage_count = info_.inside_damage_count = 0;
  info_.losses.clear();
  chunk_.Clear();
  expected_ = 0;
  missing_before_ = false;
  gap_before_ = true;
  ended_ = false;
  return status;
}

bool TraceFile::NextChunk(record::EventVisitor& out) {
  if (!Load()) return false;
  Deliver(out, nullptr);
  return true;
}

record::TimeNs TraceFile::watermark() const {
  return HostTime(chunk_.advance().watermark(), chunk_.header().timens_offset_ns());
}

bool TraceFile::Load() {
  Frame frame;
  while (!ended_ && frames_->Next(frame, found_)) {
    Drain();
    if (Accept(frame)) {
      Drain();
      return true;
    }
  }
  if (!ended_) End();
  return false;
}

// Takes a whole frame; true if it is a chunk that is now loaded.
bool TraceFile::Accept(const Frame& frame) {
  if (frame.header.sequence < expected_) {
    AddDamage({Damage::Kind::kMalformed, frame.offset, trace::kFrameHeaderSize + frame.header.stored_size, 0,
               absl::StrCat("chunk ", frame.header.sequence, " comes again; skipped (are two traces in one file?)")});
    return false;
  }
  if ((frame.header.flags & trace::kEndOfTrace) != 0) {
    CheckSequence(frame);
    info_.clean_end = true;
    end_sequence_ = frame.header.sequence;
    return false;
  }
  return Parse(frame);
}

bool TraceFile::Parse(const Frame& frame) {
  const uint64_t bytes = trace::kFrameHeaderSize + frame.header.stored_size;
  next_.Clear();
  if (!next_.ParseFromArray(frame.payload.data(), static_cast<int>(frame.payload.size()))) {
    AddDamage({Damage::Kind::kMalformed, frame.offset, bytes, 0,
               absl::StrCat("chunk ", frame.header.sequence, " is no valid protobuf; skipped")});
    return false;
  }
  const v1::FileHeader& header = next_.header();
  if (have_header_ && (header.pid() != info_.pid || header.run_id() != info_.run_id ||
                       HostTime(header.start(), header.timens_offset_ns()) != info_.start)) {
    AddDamage(
        {Damage::Kind::kMalformed, frame.offset, bytes, 0,
         absl::StrCat("a chunk of another process (pid ", header.pid(), "); skipped (are two traces in one file?)")});
    return false;
  }
  CheckSequence(frame);
  chunk_.Swap(&next_);
  chunk_offset_ = frame.offset;
  sequence_ = frame.header.sequence;
  ++info_.chunks;
  if (!have_header_) TakeHeader(chunk_.header());
  TakeLosses(chunk_);
  if (has_advance()) info_.last_watermark = watermark();
  decoder_.Load(chunk_);
  return true;
}

void TraceFile::CheckSequence(const Frame& frame) {
  const bool begins_here = !alone_ && expected_ == 0;
  const uint64_t missing = begins_here ? 0 : frame.header.sequence - expected_;
  if (missing != 0) {
    AddDamage({Damage::Kind::kMissingChunks, frame.offset, 0, missing,
               absl::StrCat(missing, " chunk(s) before this one are not here: damaged, or never written")});
  }
  gap_before_ = missing != 0 || begins_here || expected_ == 0;
  missing_before_ = missing != 0;
  whole_until_ = info_.last_watermark;
  expected_ = frame.header.sequence + 1;
}

void TraceFile::Deliver(record::EventVisitor& out, StateFilter* filter) {
  decoder_.DeliverState(chunk_, out, filter);
  const record::TimeNs missing_from = std::max(whole_until_, info_.start);
  if (missing_before_ && watermark() > missing_from) decoder_.DeliverMissing(chunk_, missing_from, watermark(), out);
  if (gap_before_ || filter == nullptr) decoder_.DeliverBatchesAtStart(chunk_, out);
  decoder_.DeliverEvents(chunk_, out);
  decoder_.DeliverAdvance(chunk_, out);
  for (const std::string& problem : decoder_.problems()) {
    AddDamage({Damage::Kind::kMalformed, chunk_offset_, 0, 0, absl::StrCat(problem, "; left out")});
  }
}

void TraceFile::TakeHeader(const v1::FileHeader& header) {
  have_header_ = true;
  info_.run_id = header.run_id();
  info_.role = header.role();
  info_.pid = header.pid();
  info_.pid_start_ticks = header.pid_start_ticks();
  info_.boot_id = header.boot_id();
  info_.timens_offset_ns = header.timens_offset_ns();
  info_.start = HostTime(header.start(), header.timens_offset_ns());
  info_.start_utc = header.start_utc();
  info_.host = header.host();
  info_.key_id = header.key_id();
  info_.ids_joinable = header.ids_joinable();
  info_.memory_cap_bytes = header.memory_cap_bytes();
  info_.graph_nodes = header.graph_nodes();
  info_.tsc_usable = header.tsc_usable();
  info_.writer_version = header.writer_version();
  info_.format_version = header.format_version();
  part_ = header.part() <= static_cast<uint32_t>(trace::FilePart::kDetail) ? static_cast<trace::FilePart>(header.part())
                                                                           : trace::FilePart::kWhole;
  info_.labels.clear();
  for (const v1::Label& label : header.labels()) {
    if (info_.labels.size() < kMostLabels) info_.labels.emplace_back(label.key(), label.value());
  }
}

void TraceFile::TakeLosses(const v1::Chunk& chunk) {
  info_.losses.clear();
  for (const v1::LossTotal& loss : chunk.losses()) {
    if (info_.losses.size() < kMostLabels && loss.count() != 0) info_.losses.emplace_back(loss.cause(), loss.count());
  }
}

void TraceFile::AddDamage(Damage damage) {
  ++info_.damage_count;
  if (damage.IsInside()) ++info_.inside_damage_count;
  if (info_.damage.size() < kMostDamage) info_.damage.push_back(std::move(damage));
}

void TraceFile::Drain() {
  for (Damage& damage : found_) AddDamage(std::move(damage));
  found_.clear();
}

void TraceFile::End() {
  Drain();
  ended_ = true;
  if (info_.clean_end || !alone_ || !status().ok()) return;
  const bool running = info_.IsRunning();
  AddDamage({running ? Damage::Kind::kRunning : Damage::Kind::kKilled, info_.file_bytes, 0, 0,
             absl::StrCat("no end mark: the process ", running ? "is still running" : "was killed",
                          "; read up to its last of ", info_.chunks, " chunk(s)")});
}

}  // namespace slowtoken::reader
