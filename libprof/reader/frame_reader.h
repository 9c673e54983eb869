// FrameReader: the frames of one trace file, in file order, whatever state the file is in. After damage it goes on at
// the next frame whose header is whole. Used by TraceFile. Single threaded, offline. Memory: the largest frame
// (64 MiB at most, stored and decompressed) plus a 1 MiB window; files of any length.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "reader/process_info.h"
#include "trace/frame.h"

namespace slowtoken::reader {

struct Frame {
  trace::FrameHeader header;
  uint64_t offset = 0;               // of its header in the file
  std::span<const uint8_t> payload;  // decompressed; valid until the next call
};

class FrameReader {
 public:
  // Opens a regular file. An error says what, where and what to do.
  static absl::StatusOr<std::unique_ptr<FrameReader>> Open(const std::string& path);
  ~FrameReader();
  FrameReader(const FrameReader&) = delete;
  FrameReader& operator=(const FrameReader&) = delete;

  // The next whole frame (the end frame too). False at the end of the file or after an I/O error. Whatever was passed
  // over on the way is appended to `damage`.
  bool Next(Frame& frame, std::vector<Damage>& damage);

  // Back to the beginning; the file's size is looked at again.
  absl::Status Rewind();

  const absl::Status& status() const { return status_; }
  bool magic_ok() const { return magic_ok_; }
  uint64_t file_bytes() const { return size_; }
  uint64_t device() const { return device_; }  // with inode(): the file's own identity
  uint64_t inode() const { return inode_; }
  uint64_t offset() const { return offset_; }

 private:
  FrameReader(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  std::span<const uint8_t> Peek(uint64_t offset, size_t count);
  std::span<const uint8_t> WindowFrom(uint64_t& offset);
  bool HeaderAt(uint64_t offset, trace::FrameHeader& header);
  uint64_t FindFrame(uint64_t from);
  void Skip(Damage::Kind kind, uint64_t to, std::string detail, std::vector<Damage>& damage);
  void SkipToNextFrame(uint64_t from, Damage::Kind kind, std::string detail, std::vector<Damage>& damage);
  bool TakeFrame(const trace::FrameHeader& header, Frame& frame, std::vector<Damage>& damage);
  bool Decompress(Frame& frame, std::vector<Damage>& damage);

  int fd_;
  std::string path_;
  absl::Status status_;
  bool magic_ok_ = false;
  uint64_t size_ = 0;
  uint64_t device_ = 0, inode_ = 0;
  uint64_t offset_ = 0;
  uint64_t window_offset_ = 0;
  std::vector<uint8_t> window_;
  std::vector<uint8_t> raw_;
};

}  // namespace slowtoken::reader
