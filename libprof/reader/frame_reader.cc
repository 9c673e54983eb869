#include "reader/frame_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/crc32c.h"

namespace slowtoken::reader {
namespace {

constexpr size_t kWindow = 1u << 20;

absl::Status IoError(const std::string& path, const char* what, int error) {
  const std::string text = absl::StrCat(path, ": ", what, ": ", strerror(error));
  if (error == ENOENT) return absl::NotFoundError(text);
  if (error == EACCES || error == EPERM) return absl::PermissionDeniedError(text);
  return absl::UnavailableError(text);
}

}  // namespace

absl::StatusOr<std::unique_ptr<FrameReader>> FrameReader::Open(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return IoError(path, "cannot be opened", errno);
  std::unique_ptr<FrameReader> reader(new FrameReader(fd, path));
  struct stat info {};
  if (fstat(fd, &info) != 0) return IoError(path, "cannot be read", errno);
  if (!S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is no regular file; give a .stt trace file"));
  }
  if (const absl::Status status = reader->Rewind(); !status.ok()) return status;
  return reader;
}

FrameReader::~FrameReader() { close(fd_); }

absl::Status FrameReader::Rewind() {
  struct stat info {};
  if (fstat(fd_, &info) != 0) return IoError(path_, "cannot be read", errno);
  size_ = static_cast<uint64_t>(info.st_size);
  device_ = info.st_dev;
  inode_ = info.st_ino;
  status_ = absl::OkStatus();
  window_.clear();
  window_offset_ = 0;
  const std::span<const uint8_t> magic = Peek(0, trace::kFileMagic.size());
  magic_ok_ = magic.size() == trace::kFileMagic.size() && std::ranges::equal(magic, trace::kFileMagic);
  offset_ = magic_ok_ ? magic.size() : 0;
  return status_;
}

// The bytes from `offset`, `count` of them or as many as the file has.
std::span<const uint8_t> FrameReader::Peek(uint64_t offset, size_t count) {
  if (offset >= size_) return {};
  count = static_cast<size_t>(std::min<uint64_t>(count, size_ - offset));
  if (offset < window_offset_ || offset + count > window_offset_ + window_.size()) {
    window_.resize(static_cast<size_t>(std::min<uint64_t>(std::max(count, kWindow), size_ - offset)));
    window_offset_ = offset;
    size_t have = 0;
    while (have < window_.size()) {
      const ssize_t n = pread(fd_, window_.data() + have, window_.size() - have, static_cast<off_t>(offset + have));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) status_ = IoError(path_, "cannot be read", errno);
      if (n <= 0) break;
      have += static_cast<size_t>(n);
    }
    window_.resize(have);
  }
  const size_t at = static_cast<size_t>(offset - window_offset_);
  return std::span<const uint8_t>(window_).subspan(at, std::min(count, window_.size() - at));
}

bool FrameReader::HeaderAt(uint64_t offset, trace::FrameHeader& header) {
  const std::span<const uint8_t> bytes = Peek(offset, trace::kFrameHeaderSize);
  return bytes.size() == trace::kFrameHeaderSize &&
         trace::DecodeFrameHeader(bytes.first<trace::kFrameHeaderSize>(), header) == trace::FrameCheck::kGood;
}

// The rest of the window from `offset`, at least a frame header long unless the file ends. Only when the window has to
// move are holes of a sparse file passed over (they hold no marker): `offset` moves to the next data.
std::span<const uint8_t> FrameReader::WindowFrom(uint64_t& offset) {
  if (offset + trace::kFrameHeaderSize > window_offset_ + window_.size()) {
    const off_t data = lseek(fd_, static_cast<off_t>(offset), SEEK_DATA);
    if (data < 0 && errno == ENXIO) return {};  // a hole up to the end; other errors: the file system cannot tell
    if (data > static_cast<off_t>(offset)) offset = static_cast<uint64_t>(data);
  }
  if (Peek(offset, trace::kFrameHeaderSize).size() < trace::kFrameHeaderSize) return {};
  return std::span<const uint8_t>(window_).subspan(static_cast<size_t>(offset - window_offset_));
}

// The offset of the first whole frame header at or after `from`, or the file's size.
uint64_t FrameReader::FindFrame(uint64_t from) {
  while (status_.ok() && from + trace::kFrameHeaderSize <= size_) {
    const std::span<const uint8_t> bytes = WindowFrom(from);
    if (bytes.empty()) break;
    const void* hit = memmem(bytes.data(), bytes.size(), trace::kFrameMarker.data(), trace::kFrameMarker.size());
    if (hit == nullptr) {
      from += bytes.size() - trace::kFrameMarker.size() + 1;
      continue;
    }
    from += static_cast<uint64_t>(static_cast<const uint8_t*>(hit) - bytes.data());
    trace::FrameHeader header;
    if (HeaderAt(from, header)) return from;
    ++from;
  }
  return size_;
}

void FrameReader::Skip(Damage::Kind kind, uint64_t to, std::string detail, std::vector<Damage>& damage) {
  damage.push_back({kind, offset_, to - offset_, 0, std::move(detail)});
  offset_ = to;
}

void FrameReader::SkipToNextFrame(uint64_t from, Damage::Kind kind, std::string detail, std::vector<Damage>& damage) {
  const uint64_t next = FindFrame(from);
  if (next == size_ && kind == Damage::Kind::kTruncated) {
    Skip(kind, next, "the last chunk is incomplete; everything before it is read", damage);
  } else {
    Skip(kind == Damage::Kind::kTruncated ? Damage::Kind::kChecksum : kind, next, std::move(detail), damage);
  }
}

bool FrameReader::Next(Frame& frame, std::vector<Damage>& damage) {
  while (status_.ok() && offset_ < size_) {
    const std::span<const uint8_t> bytes = Peek(offset_, trace::kFrameHeaderSize);
    if (bytes.size() < trace::kFrameHeaderSize) {
      const size_t known = std::min(bytes.size(), trace::kFrameMarker.size());
      const bool cut =
          std::equal(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(known), trace::kFrameMarker.begin()) ||
          (offset_ == 0 && bytes.size() < trace::kFileMagic.size() &&
           std::equal(bytes.begin(), bytes.end(), trace::kFileMagic.begin()));
      Skip(cut ? Damage::Kind::kTruncated : Damage::Kind::kGarbage, size_,
           cut ? "the last chunk is incomplete; everything before it is read" : "bytes that are no chunk; skipped",
           damage);
      break;
    }
    trace::FrameHeader header;
    switch (trace::DecodeFrameHeader(bytes.first<trace::kFrameHeaderSize>(), header)) {
      case trace::FrameCheck::kGood:
        if (TakeFrame(header, frame, damage)) return true;
        break;
      case trace::FrameCheck::kNoMarker:
        SkipToNextFrame(offset_ + 1, Damage::Kind::kGarbage, "bytes that are no chunk; skipped", damage);
        break;
      case trace::FrameCheck::kBadChecksum:
        SkipToNextFrame(offset_ + 1, Damage::Kind::kChecksum, "the frame header is damaged; its chunk is skipped",
                        damage);
        break;
      case trace::FrameCheck::kTooLarge:
        SkipToNextFrame(offset_ + 1, Damage::Kind::kMalformed, "a chunk larger than any valid one; skipped", damage);
        break;
    }
  }
  return false;
}

// The frame at offset_, whose header is `header`. False: it is passed over and `damage` says why.
bool FrameReader::TakeFrame(const trace::FrameHeader& header, Frame& frame, std::vector<Damage>& damage) {
  const uint64_t body = offset_ + trace::kFrameHeaderSize;
  const std::span<const uint8_t> payload = Peek(body, header.stored_size);
  if (payload.size() < header.stored_size) {
    SkipToNextFrame(body, Damage::Kind::kTruncated, "the chunk is shorter than it says; skipped", damage);
    return false;
  }
  if (base::Crc32c(payload.data(), payload.size()) != header.payload_crc) {
    SkipToNextFrame(body, Damage::Kind::kChecksum,
                    absl::StrCat("the content of chunk ", header.sequence, " is damaged; skipped"), damage);
    return false;
  }
  if (header.version > trace::kFormatVersion) {
    Skip(Damage::Kind::kNewerVersion, body + header.stored_size,
         absl::StrCat("format version ", header.version, ", this program reads up to ", trace::kFormatVersion,
                      "; use a newer slowtoken"),
         damage);
    return false;
  }
  frame = {header, offset_, payload};
  if (!Decompress(frame, damage)) return false;
  offset_ = body + header.stored_size;
  return true;
}

bool FrameReader::Decompress(Frame& frame, std::vector<Damage>& damage) {
  const trace::FrameHeader& header = frame.header;
  const uint64_t next = frame.offset + trace::kFrameHeaderSize + header.stored_size;
  switch (header.codec) {
    case trace::Codec::kNone:
      if (header.raw_size == header.stored_size) return true;
      break;
    case trace::Codec::kZstd: {
      raw_.resize(header.raw_size);
      const size_t n = ZSTD_decompress(raw_.data(), raw_.size(), frame.payload.data(), frame.payload.size());
      frame.payload = raw_;
      if (!ZSTD_isError(n) && n == header.raw_size) return true;
      break;
    }
    default:
      Skip(Damage::Kind::kUnknownCodec, next,
           absl::StrCat("codec ", static_cast<int>(header.codec), " is unknown; use a newer slowtoken"), damage);
      return false;
  }
  Skip(Damage::Kind::kMalformed, next, absl::StrCat("chunk ", header.sequence, " does not decompress; skipped"),
       damage);
  return false;
}

}  // namespace slowtoken::reader
