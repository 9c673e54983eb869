// MappedFiles: the files that are mapped into this process, read from /proc/self/maps a piece at a time, so that no
// round of the worker gets long: a large server has thousands of mappings. Worker thread. A piece costs some 100 µs, in
// which the kernel holds the process's map for reading, page by page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/kept_descriptor.h"

namespace slowtoken::conditions {

class MappedFiles {
 public:
  // Called with the path of a mapped file; with the same one several times in a row at most once.
  using Visit = void (*)(void* self, std::string_view path);

  // Begins again. False if the list cannot be read.
  bool Open(const char* maps = "/proc/self/maps");

  // Reads one piece. False at the end, and when the host has taken the descriptor.
  bool Read(Visit visit, void* self);

  void Close() { file_.Close(); }

 private:
  void Line(std::string_view line, Visit visit, void* self);

  base::KeptDescriptor file_;
  char text_[16384];
  size_t kept_ = 0;      // bytes of a line that goes on in the next piece
  bool skip_ = false;    // of a line that is longer than the buffer
  uint64_t latest_ = 0;  // hash of the path seen last
};

}  // namespace slowtoken::conditions
