// RingOutput: a sink that keeps the newest frames only, in segment files that are ordinary trace files,
// `<dir>/<role>-<pid>-<8 hex>.stt`, then `….1.stt`, `….2.stt` …; the oldest is removed when the ring's bytes or age are
// passed. What is in it survives the process, however it ends: every frame is written at once, with write (host-safety
// rule 8). Worker thread. A frame costs what trace/file_sink costs; a segment file is made at the first frame of each
// eighth of the ring.
#pragma once

#include <array>

#include "base/arena.h"
#include "capture/config.h"
#include "trace/file_sink.h"

namespace slowtoken::capture {

class RingOutput final : public trace::Sink {
 public:
  struct Bounds {
    uint64_t bytes = 0;
    base::TimeNs age_ns = 0;  // 0: none
  };

  // One frame in the ring.
  struct Frame {
    uint64_t sequence = 0;
    base::TimeNs watermark = 0;  // 0: a continuation
    base::TimeNs written = 0;    // everything in it happened before
    uint64_t offset = 0;
    uint32_t size = 0;
    uint32_t segment = 0;
    bool end_mark = false;
  };

  // Segments come into `config.directory` and there into `folder` (empty: none). False when the arena is too small.
  bool Init(base::Arena& arena, const Config& config, const char* folder, const Bounds& bounds);

  bool Write(std::span<const uint8_t> header, std::span<const uint8_t> payload) override;
  void Close() { file_.Close(); }

  uint64_t bytes_written() const { return bytes_written_; }  // ever
  uint64_t bytes_kept() const { return bytes_kept_; }

  // The frames kept, oldest first.
  size_t frame_count() const { return frame_count_; }
  const Frame& frame(size_t i) const { return frames_[(first_frame_ + i) % frames_.size()]; }

  // A descriptor to read a segment with, or -1 if its file is not the one that was written. The caller closes it.
  int OpenSegment(uint32_t number) const;

 private:
  static constexpr size_t kMostSegments = 64;
  static constexpr size_t kMostFrames = 4096;
  struct Segment {
    uint32_t number = 0;
    uint64_t bytes = 0;
    uint64_t device = 0, inode = 0;
  };

  bool Fits(uint64_t size, base::TimeNs now) const;
  bool NextSegment(base::TimeNs now);
  bool OpenNext();
  void MakeRoom(uint64_t size, base::TimeNs now);
  void DropOldest();
  bool MakePath(uint32_t number, char (&path)[4096]) const;
  Segment& segment(size_t i) { return segments_[(first_segment_ + i) % kMostSegments]; }
  const Segment& segment(size_t i) const { return segments_[(first_segment_ + i) % kMostSegments]; }

  const Config* config_ = nullptr;
  const char* folder_ = "";
  Bounds bounds_;
  trace::FileSink file_;  // the newest segment
  std::array<Segment, kMostSegments> segments_{};
  std::span<Frame> frames_;
  size_t first_segment_ = 0, segment_count_ = 0;
  size_t first_frame_ = 0, frame_count_ = 0;
  uint32_t next_number_ = 0;
  char name_[64] = {};  // <role>-<pid>-<8 hex>
  base::TimeNs segment_start_ = 0;
  uint64_t bytes_kept_ = 0, bytes_written_ = 0;
  bool complained_ = false;
};

}  // namespace slowtoken::capture
