// TraceFile: one trace file, chunk by chunk: what is readable is delivered, what is not is in info().damage.
// A file works on its own, whatever became of the others. TraceSet merges several. Single threaded, offline.
// Memory: two parsed chunks and the largest frame.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "reader/chunk_decoder.h"
#include "reader/frame_reader.h"
#include "reader/process_info.h"
#include "trace/file_header.h"

namespace slowtoken::reader {

class TraceFile {
 public:
  // `dictionary` takes the file's texts, shapes and lanes and must outlive the file; `process` is set in every event.
  // An error if the file cannot be read, or holds neither the file magic nor any chunk.
  static absl::StatusOr<std::unique_ptr<TraceFile>> Open(const std::string& path, record::ProcessIndex process,
                                                         record::Dictionary& dictionary);

  // Delivers the next readable chunk, all of it but open ranges: state, batches at its start, events, its Advance last.
  // False at the end; then look at status() and info().
  bool NextChunk(record::EventVisitor& out);

  // In two steps, for merging. Load reads the next chunk without delivering it; false at the end, where the chunk
  // before stays loaded.
  bool Load();
  bool has_advance() const { return chunk_.has_advance(); }
  uint64_t sequence() const { return sequence_; }  // of the loaded chunk
  record::TimeNs watermark() const;                // host time; 0 without Advance

  // Delivers the loaded chunk: with a filter, only state that is new or has changed; the batches at its start only if
  // the chunk before it is not there.
  void Deliver(record::EventVisitor& out, StateFilter* filter);

  // Delivers what was open at the end of the loaded chunk (end == 0).
  void DeliverOpen(record::EventVisitor& out) { decoder_.DeliverOpen(chunk_, out); }

  // The file is one of several of its process (reader/process_part.h): it may begin anywhere and need not end.
  void BeginsAnywhere() { alone_ = false; }
  void SetGapBefore(bool gap) { gap_before_ = gap; }  // whether the chunk before the loaded one was not delivered

  bool has_header() const { return have_header_; }
  trace::FilePart part() const { return part_; }
  uint64_t end_sequence() const { return end_sequence_; }  // of the end frame, once it was read; else 0

  // Back to the first chunk; damage and counts start anew.
  absl::Status Rewind();

  const ProcessInfo& info() const { return info_; }
  const absl::Status& status() const { return frames_->status(); }
  uint64_t bytes_read() const { return frames_->offset(); }

 private:
  TraceFile(std::unique_ptr<FrameReader> frames, const std::string& path, record::ProcessIndex process,
            record::Dictionary& dictionary);
  bool Accept(const Frame& frame);
  bool Parse(const Frame& frame);
  void CheckSequence(const Frame& frame);
  void TakeHeader(const v1::FileHeader& header);
  void TakeLosses(const v1::Chunk& chunk);
  void AddDamage(Damage damage);
  void Drain();
  void End();

  std::unique_ptr<FrameReader> frames_;
  ChunkDecoder decoder_;
  ProcessInfo info_;
  std::vector<Damage> found_;
  v1::Chunk chunk_;  // the loaded one
  v1::Chunk next_;   // being parsed
  uint64_t chunk_offset_ = 0;
  uint64_t expected_ = 0;           // sequence number of the next frame
  bool missing_before_ = false;     // chunks right before the loaded one are missing,
  record::TimeNs whole_until_ = 0;  // which came after this time
  bool gap_before_ = true;          // the chunk before the loaded one is not there
  bool have_header_ = false;
  bool ended_ = false;
  bool alone_ = true;
  trace::FilePart part_ = trace::FilePart::kWhole;
  uint64_t sequence_ = 0;
  uint64_t end_sequence_ = 0;
};

}  // namespace slowtoken::reader
