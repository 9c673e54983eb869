#include "progress_line.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace slowtoken::cli {

ProgressLine::ProgressLine(const char* verb)
    : verb_(verb), terminal_(isatty(STDERR_FILENO) == 1), next_(base::MonotonicNow() + 1'000'000'000) {}

void ProgressLine::Show(uint64_t bytes_done, uint64_t bytes_total) {
  if (!terminal_) return;
  const base::TimeNs now = base::MonotonicNow();
  if (now < next_) return;
  next_ = now + 200'000'000;
  shown_ = true;
  const double share = static_cast<double>(bytes_done) / static_cast<double>(std::max<uint64_t>(1, bytes_total));
  std::fprintf(stderr, "\rslowtoken %s: %3.0f %% of %.1f MB", verb_, share * 100,
               static_cast<double>(bytes_total) / 1e6);
}

void ProgressLine::Clear() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

}  // namespace slowtoken::cli
