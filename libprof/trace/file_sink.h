// FileSink: a trace file being written, `<dir>/<role>-<pid>-<8 hex>.stt`. Owned by the worker; Write is one fstat and
// one pwritev per chunk, no mmap (a full disk is an error, not a SIGBUS) and no fsync. Any error drops the frame whole:
// the file is cut back to the last whole frame, and the next frame is tried again. A host that closes all descriptors
// closes ours too, and may get our number for a file of its own: the file is then opened again by its path, and nothing
// is written to what is not ours. A deleted file is given up (bug log row 13).
#pragma once

#include <string_view>

#include "base/kept_descriptor.h"
#include "trace/sink.h"

namespace slowtoken::trace {

// `role` as it stands in the names of trace files: cut to kMaxFileRole characters, those that do not belong into a file
// name, or part its pieces (`-`), become '_'.
inline constexpr size_t kMaxFileRole = 32;
void FileRole(std::string_view role, char (&out)[kMaxFileRole + 1]);

class FileSink final : public Sink {
 public:
  FileSink() = default;
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  // Creates the file in `dir` (which must exist) with mode 0600, never following a link or opening an existing file,
  // and writes the file magic. `role` goes through FileRole.
  // Returns 0 or an errno value; path() is set in both cases.
  int Open(std::string_view dir, std::string_view role, uint64_t pid);

  // As Open, but for exactly this path (importers, tests). EEXIST if it exists.
  int OpenPath(std::string_view path);

  // False and !is_open(): the file is no longer there, its place is free for a new one.
  bool Write(std::span<const uint8_t> header, std::span<const uint8_t> payload) override;

  // Closes the file descriptor, if it still is ours; Write fails afterwards. In a forked child this is the only call
  // allowed.
  void Close() { file_.Close(); }

  bool is_open() const { return file_.is_open(); }
  const char* path() const { return path_; }
  uint64_t bytes_written() const { return size_; }  // the file's size: magic and whole frames
  int last_error() const { return last_error_; }    // errno of the newest failure, 0 if none

 private:
  bool StillThere();
  bool CutBack();

  base::KeptDescriptor file_;
  int last_error_ = 0;
  bool dirty_ = false;  // bytes of a failed frame may stand behind `size_`
  uint64_t size_ = 0;
  char path_[4096] = {};
};

}  // namespace slowtoken::trace
