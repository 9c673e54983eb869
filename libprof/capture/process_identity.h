// ProcessIdentity: the texts and numbers a trace's header needs about this process, kept in place because the encoder
// borrows them. Filled once at start, from /proc and the config; no allocation, about 50 µs.
#pragma once

#include <array>

#include "capture/config.h"
#include "trace/file_header.h"

namespace slowtoken::capture {

class ProcessIdentity {
 public:
  void Read(const Config& config);

  // Views into this object: it must outlive the header.
  trace::FileHeader header(const Config& config) const;

  // What a time namespace adds to the kernel's CLOCK_MONOTONIC.
  int64_t clock_offset_ns() const { return timens_offset_ns_; }

  const char* boot_id() const { return boot_id_.data(); }  // 0-terminated

 private:
  void ReadLabels(const char* labels);

  std::array<char, 17> run_id_{};
  std::array<char, 17> host_{};
  std::array<char, 17> key_id_{};
  std::array<char, 40> boot_id_{};
  std::array<trace::Label, 32> labels_{};
  size_t label_count_ = 0;
  uint64_t pid_start_ticks_ = 0;
  int64_t timens_offset_ns_ = 0;
  base::TimeNs start_ = 0;
  base::TimeNs start_utc_ = 0;
};

}  // namespace slowtoken::capture
