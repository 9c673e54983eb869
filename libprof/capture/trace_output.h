// TraceOutput: the sink that makes its file at the first chunk, so that a process in which nothing happens leaves no
// file behind. Worker thread. A directory or file that cannot be made is tried again at each chunk; the chunk counts as
// lost.
#pragma once

#include "capture/config.h"
#include "trace/file_sink.h"

namespace slowtoken::capture {

class TraceOutput final : public trace::Sink {
 public:
  void Init(const Config& config) { config_ = &config; }

  bool Write(std::span<const uint8_t> header, std::span<const uint8_t> payload) override;

  uint64_t bytes_written() const { return file_.bytes_written(); }
  void Close() { file_.Close(); }

 private:
  bool EnsureOpen();

  const Config* config_ = nullptr;
  trace::FileSink file_;
  bool complained_ = false;
};

// Makes `path` and what is missing of its parents, mode 0700. 0 or an errno value.
int MakeDirectories(const char* path);

}  // namespace slowtoken::capture
