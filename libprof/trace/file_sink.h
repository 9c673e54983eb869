// FileSink: a trace file being written, `<dir>/<role>-<pid>-<8 hex>.stt`. Owned by the worker; Write is one writev per
// chunk, no mmap (a full disk is an error, not a SIGBUS) and no fsync. Any error drops the frame whole: the file is cut
// back to the last whole frame, and the next frame is tried again.
#pragma once

#include <string_view>

#include "trace/sink.h"

namespace slowtoken::trace {

class FileSink final : public Sink {
 public:
  FileSink() = default;
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  // Creates the file in `dir` (which must exist) with mode 0600, never following a link or opening an existing file,
  // and writes the file magic. `role` is cut to 32 characters, those that do not belong into a file name become '_'.
  // Returns 0 or an errno value; path() is set in both cases.
  int Open(std::string_view dir, std::string_view role, uint64_t pid);

  // As Open, but for exactly this path (importers, tests). EEXIST if it exists.
  int OpenPath(std::string_view path);

  bool Write(std::span<const uint8_t> header, std::span<const uint8_t> payload) override;

  // Closes the file descriptor; Write fails afterwards. In a forked child this is the only call allowed.
  void Close();

  bool is_open() const { return fd_ >= 0; }
  const char* path() const { return path_; }
  uint64_t bytes_written() const { return size_; }  // the file's size: magic and whole frames
  int last_error() const { return last_error_; }    // errno of the newest failure, 0 if none

 private:
  bool CutBack();

  int fd_ = -1;
  int last_error_ = 0;
  bool dirty_ = false;  // bytes of a failed frame may stand behind `size_`
  uint64_t size_ = 0;
  char path_[4096] = {};
};

}  // namespace slowtoken::trace
