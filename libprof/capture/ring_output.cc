#include "capture/ring_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/random.h"
#include "capture/trace_output.h"
#include "trace/frame.h"

namespace slowtoken::capture {
namespace {

constexpr uint64_t kParts = 8;  // the ring is given up in so many pieces
constexpr uint64_t kLeastSegment = 64u << 10;

}  // namespace

bool RingOutput::Init(base::Arena& arena, const Config& config, const char* folder, const Bounds& bounds) {
  config_ = &config;
  folder_ = folder;
  bounds_ = bounds;
  char role[trace::kMaxFileRole + 1];
  trace::FileRole(config.role, role);
  snprintf(name_, sizeof name_, "%s-%d-%08x", role, getpid(), base::RandomNumber<uint32_t>());
  frames_ = arena.AllocateArray<Frame>(kMostFrames);
  return !frames_.empty();
}

bool RingOutput::Write(std::span<const uint8_t> header, std::span<const uint8_t> payload) {
  trace::FrameHeader fields;
  if (header.size() != trace::kFrameHeaderSize ||
      trace::DecodeFrameHeader(header.first<trace::kFrameHeaderSize>(), fields) != trace::FrameCheck::kGood) {
    return false;
  }
  const base::TimeNs now = base::MonotonicNow();
  const uint64_t size = header.size() + payload.size();
  MakeRoom(size, now);
  if (!Fits(size, now) && !NextSegment(now)) return false;
  uint64_t offset = file_.bytes_written();
  if (!file_.Write(header, payload)) {
    // Somebody removed the file: what it held is gone, the ring goes on in the next one.
    if (file_.is_open() || !NextSegment(now)) return false;
    offset = file_.bytes_written();
    if (!file_.Write(header, payload)) return false;
  }
  Segment& newest = segment(segment_count_ - 1);
  frames_[(first_frame_ + frame_count_++) % frames_.size()] = {fields.sequence,
                                                               fields.watermark,
                                                               now,
                                                               offset,
                                                               static_cast<uint32_t>(size),
                                                               newest.number,
                                                               (fields.flags & trace::kEndOfTrace) != 0};
  const uint64_t grown = file_.bytes_written() - newest.bytes;
  newest.bytes += grown;
  bytes_kept_ += grown;
  bytes_written_ += grown;
  return true;
}

// The newest segment takes a frame as long as it is less than its part of the ring, in bytes and in time.
bool RingOutput::Fits(uint64_t size, base::TimeNs now) const {
  if (!file_.is_open() || segment_count_ == 0) return false;
  const uint64_t most = bounds_.bytes / kParts > kLeastSegment ? bounds_.bytes / kParts : kLeastSegment;
  const bool old = bounds_.age_ns != 0 && now - segment_start_ > bounds_.age_ns / kParts;
  return !old && file_.bytes_written() + size <= most;
}

bool RingOutput::NextSegment(base::TimeNs now) {
  if (segment_count_ == kMostSegments) DropOldest();
  if (OpenNext()) {
    segment_start_ = now;
    MakeRoom(0, now);  // the one before may have been larger than the ring
    return true;
  }
  if (!complained_) base::Log(base::LogLevel::kError, "cannot write a trace into ", config_->directory);
  complained_ = true;
  return false;
}

bool RingOutput::OpenNext() {
  char path[4096];
  if (!MakePath(next_number_, path)) return false;
  int error = file_.OpenPath(path);
  if (error == ENOENT) {
    char directory[sizeof Config::directory + 32];
    snprintf(directory, sizeof directory, "%s%s%s", config_->directory, *folder_ != 0 ? "/" : "", folder_);
    if (MakeDirectories(directory) == 0) error = file_.OpenPath(path);
  }
  struct stat info {};
  if (error != 0 || lstat(path, &info) != 0) return false;
  segment(segment_count_++) = {next_number_++, file_.bytes_written(), info.st_dev, info.st_ino};
  bytes_kept_ += file_.bytes_written();
  bytes_written_ += file_.bytes_written();
  return true;
}

// A frame larger than the whole ring stands alone.
void RingOutput::MakeRoom(uint64_t size, base::TimeNs now) {
  const auto newest_in_oldest = [&] {
    base::TimeNs written = 0;
    for (size_t i = 0; i < frame_count_ && frame(i).segment == segment(0).number; ++i) written = frame(i).written;
    return written;
  };
  const auto too_old = [&] { return bounds_.age_ns != 0 && newest_in_oldest() + bounds_.age_ns < now; };
  while (segment_count_ > 1 && (bytes_kept_ + size > bounds_.bytes || frame_count_ == frames_.size() || too_old())) {
    DropOldest();
  }
  if (frame_count_ == frames_.size()) {  // all in the newest segment: the oldest stay in it, unknown
    first_frame_ = (first_frame_ + 1) % frames_.size();
    --frame_count_;
  }
}

void RingOutput::DropOldest() {
  const Segment& oldest = segment(0);
  char path[4096];
  struct stat info {};
  const bool ours = MakePath(oldest.number, path) && lstat(path, &info) == 0 && S_ISREG(info.st_mode) &&
                    info.st_dev == oldest.device && info.st_ino == oldest.inode;
  if (ours) unlink(path);
  while (frame_count_ > 0 && frame(0).segment == oldest.number) {
    first_frame_ = (first_frame_ + 1) % frames_.size();
    --frame_count_;
  }
  bytes_kept_ -= oldest.bytes;
  first_segment_ = (first_segment_ + 1) % kMostSegments;
  --segment_count_;
}

bool RingOutput::MakePath(uint32_t number, char (&path)[4096]) const {
  char suffix[16] = "";
  if (number != 0) snprintf(suffix, sizeof suffix, ".%u", number);
  const int n = snprintf(path, sizeof path, "%s%s%s/%s%s.stt", config_->directory, *folder_ != 0 ? "/" : "", folder_,
                         name_, suffix);
  return n > 0 && static_cast<size_t>(n) < sizeof path;
}

int RingOutput::OpenSegment(uint32_t number) const {
  for (size_t i = 0; i < segment_count_; ++i) {
    const Segment& wanted = segment(i);
    char path[4096];
    if (wanted.number != number || !MakePath(number, path)) continue;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat info {};
    if (fd >= 0 && fstat(fd, &info) == 0 && info.st_dev == wanted.device && info.st_ino == wanted.inode) return fd;
    if (fd >= 0) close(fd);
    return -1;
  }
  return -1;
}

}  // namespace slowtoken::capture
