// TraceOutput: the sink that makes its file at the first chunk, so that a process in which nothing happens leaves no
// file behind. Worker thread. A directory or file that cannot be made is tried again at each chunk; the chunk counts as
// lost. A file that somebody deletes while it is written is followed by a new one (bug log row 13), and counted.
#pragma once

#include "base/loss.h"
#include "capture/config.h"
#include "trace/file_sink.h"

namespace slowtoken::capture {

class TraceOutput final : public trace::Sink {
 public:
  void Init(const Config& config, base::LossCounters& losses) {
    config_ = &config;
    losses_ = &losses;
  }

  bool Write(std::span<const uint8_t> header, std::span<const uint8_t> payload) override;

  uint64_t bytes_written() const { return bytes_before_ + file_.bytes_written(); }
  void Close() { file_.Close(); }

 private:
  bool EnsureOpen();

  const Config* config_ = nullptr;
  base::LossCounters* losses_ = nullptr;
  trace::FileSink file_;
  uint64_t bytes_before_ = 0;  // in files that were deleted
  bool complained_ = false;
};

// Makes `path` and what is missing of its parents, mode 0700. 0 or an errno value.
int MakeDirectories(const char* path);

}  // namespace slowtoken::capture
