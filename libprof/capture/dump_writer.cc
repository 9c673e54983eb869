#include "capture/dump_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/trace_output.h"
#include "capture/utc.h"
#include "trace/frame.h"

namespace slowtoken::capture {
namespace {

constexpr size_t kPiece = 256u << 10;
// After the window has ended, chunks that cover its end may still come; a paused or idle process writes none.
constexpr base::TimeNs kGraceNs = 5'000'000'000;

}  // namespace

bool DumpWriter::Init(base::Arena& arena, const Config& config, const RingOutput& ring, base::LossCounters& losses) {
  config_ = &config;
  ring_ = &ring;
  losses_ = &losses;
  buffer_ = arena.AllocateArray<uint8_t>(kPiece);
  return !buffer_.empty();
}

void DumpWriter::MakeName(const record::Trigger& trigger, base::TimeNs utc, char (&out)[kNameSize]) {
  char time[kUtcSize];
  FormatUtc(utc, time);
  snprintf(out, sizeof out, "%s-%s-%08x", time,
           record::kTriggerKindNames[static_cast<size_t>(trigger.kind) % std::size(record::kTriggerKindNames)],
           static_cast<uint32_t>(trigger.id));
}

bool DumpWriter::Begin(const record::Trigger& trigger, base::TimeNs utc) {
  if (active_) return false;
  char name[kNameSize], folder[sizeof Config::directory + 64];
  MakeName(trigger, utc, name);
  snprintf(folder, sizeof folder, "%s/dumps/%s", config_->directory, name);
  if (MakeDirectories(folder) != 0) return false;
  char role[trace::kMaxFileRole + 1];
  trace::FileRole(config_->role, role);
  snprintf(path_, sizeof path_, "%s/%s-%d-%08x.stt", folder, role, getpid(), static_cast<uint32_t>(trigger.id >> 32));
  if (to_.Open(path_, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600) != 0) return false;
  fchmod(to_.get(), 0600);  // whatever the host's umask took away: each round opens it again
  size_ = 0;
  active_ = Append(trace::kFileMagic.data(), trace::kFileMagic.size());
  to_.Close();
  trigger_ = trigger;
  begun_ = false;
  return active_;
}

bool DumpWriter::Reopen() { return to_.Reopen(path_, O_WRONLY | O_NOFOLLOW) == 0; }

bool DumpWriter::Append(const uint8_t* data, size_t size) {
  while (size > 0) {
    const ssize_t n = pwrite(to_.get(), data, size, static_cast<off_t>(size_));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    size -= static_cast<size_t>(n);
    size_ += static_cast<uint64_t>(n);
  }
  return true;
}

bool DumpWriter::CopyFrame(const RingOutput::Frame& frame) {
  if (from_ < 0 || from_segment_ != frame.segment) {
    if (from_ >= 0) close(from_);
    from_ = ring_->OpenSegment(frame.segment);
    from_segment_ = frame.segment;
  }
  const uint64_t whole = size_;
  uint64_t done = 0;
  while (from_ >= 0 && done < frame.size) {
    const size_t want = frame.size - done < buffer_.size() ? frame.size - done : buffer_.size();
    const ssize_t n = pread(from_, buffer_.data(), want, static_cast<off_t>(frame.offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0 || !Append(buffer_.data(), static_cast<size_t>(n))) break;
    done += static_cast<uint64_t>(n);
  }
  if (done == frame.size) return true;
  size_ = whole;  // the next frame takes its place
  return false;
}

void DumpWriter::Copy(base::TimeNs now, uint64_t most_bytes) {
  if (!active_) return;
  if (!Reopen()) {  // somebody removed it
    active_ = false;
    return;
  }
  bool window_covered = false;
  uint64_t copied = 0;
  for (size_t i = 0; i < ring_->frame_count() && copied < most_bytes; ++i) {
    const RingOutput::Frame& frame = ring_->frame(i);
    if (begun_ ? frame.sequence < next_ : frame.written < trigger_.window_start) continue;
    if (frame.end_mark) break;
    if (begun_ && frame.sequence > next_) losses_->Add(base::Loss::kDumpChunksLost, frame.sequence - next_);
    const bool fits = size_ + frame.size <= config_->flight.disk_bytes;
    if (!fits || !CopyFrame(frame)) losses_->Add(base::Loss::kDumpChunksLost);
    begun_ = true;
    next_ = frame.sequence + 1;
    copied += frame.size;
    window_covered = frame.watermark >= trigger_.window_end;
    if (window_covered) break;
  }
  if (from_ >= 0) close(from_);
  from_ = -1;
  const bool nothing_more_comes = copied < most_bytes && now > trigger_.window_end + kGraceNs;
  if (window_covered || nothing_more_comes) {
    active_ = false;
    WriteEnd();
  }
  to_.Close();
}

bool DumpWriter::WriteEnd() {
  trace::FrameHeader header;
  header.flags = trace::kEndOfTrace;
  header.sequence = next_;
  const trace::FrameHeaderBytes bytes = trace::EncodeFrameHeader(header);
  const bool written = Append(bytes.data(), bytes.size());
  return ftruncate(to_.get(), static_cast<off_t>(size_)) == 0 && written;  // of a frame that failed
}

void DumpWriter::End() {
  if (!active_) return;
  active_ = false;
  if (!Reopen()) return;
  WriteEnd();
  to_.Close();
}

}  // namespace slowtoken::capture
