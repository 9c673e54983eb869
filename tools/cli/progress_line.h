// ProgressLine: a line on the terminal that says how far a long work has come. Silent when stderr is no terminal, and
// for the first second. Call Show as often as you like: it looks at the clock and writes five times a second.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace slowtoken::cli {

class ProgressLine {
 public:
  explicit ProgressLine(const char* verb);

  void Show(uint64_t bytes_done, uint64_t bytes_total);

  // Takes the line away, if there is one.
  void Clear();

 private:
  const char* verb_;
  bool terminal_;
  bool shown_ = false;
  base::TimeNs next_;
};

}  // namespace slowtoken::cli
